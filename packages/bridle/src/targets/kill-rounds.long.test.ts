// kill -9 of a real server at work, round after round: three tenants, each with chats that wait for approvals and with
// background work. What a client saw stays as it was, what was acknowledged is there, and in the end all of it has ended.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Frame, get, post, readFrames, script } from '../surfaces/http/client.suite.ts'
import { ServerProcess } from './server-process.suite.ts'

const ROUNDS_MS = 180_000
const ROUNDS_MAX = 60
const tenants = ['ada', 'bo', 'cy'] as const

interface Work {
  readonly tenant: string
  readonly id: string
  readonly kind: 'chat' | 'background'
  readonly body: object
}

let folder: string
let server: ServerProcess
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-kills-'))
  server = new ServerProcess(folder)
  await server.boot()
})
afterEach(async () => {
  await server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('[S12] [F18] nothing that was said is unsaid, and all of it ends', async () => {
  const seed = Number(process.env.BRIDLE_SEED ?? Date.now() % 2 ** 31)
  console.log(`BRIDLE_SEED=${seed}`)
  const chance = chanceFrom(seed)
  const works: Work[] = []
  const seen = new Map<string, string[]>()
  const until = Date.now() + ROUNDS_MS
  let rounds = 0
  for (; rounds < ROUNDS_MAX && Date.now() < until; rounds++) {
    const begun = tenants.flatMap((tenant) => workOf(tenant, rounds))
    const acknowledged = begun.map((work) => start(work).then((isTaken) => isTaken && works.push(work)))
    const watched = [...works.slice(-9), ...begun].map((work) => ({ work, frames: framesOf(work, () => false) }))
    const approving = approveSome(works.slice(-6))
    await sleep(chance() * 400)
    await server.kill('SIGKILL')
    await Promise.all([...acknowledged, approving])
    for (const { work, frames } of watched) compare(seen, work, await frames)
    await server.boot()
  }
  console.log(`${rounds} kills, ${works.length} sessions`)
  expect(rounds).toBeGreaterThan(5)

  for (const work of works) {
    const detail = await ended(work)
    const told = await framesOf(work, (frames) => (frames.at(-1)?.data.type ?? '') !== '' && isAtHead(frames, detail))
    compare(seen, work, told)
  }
  for (const tenant of tenants) {
    const own = works.filter((work) => work.tenant === tenant).map(({ id }) => id)
    const listed: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await get(`${server.url}/sessions?limit=500${cursor}`, headers(tenant))
      listed.push(...(body.sessions as { id: string }[]).map(({ id }) => id))
      if (body.next === undefined) break
      cursor = `&cursor=${encodeURIComponent(String(body.next))}`
    }
    // A session whose acknowledgement got lost may be there all the same.
    expect(own.filter((id) => !listed.includes(id))).toEqual([])
    expect(listed.filter((id) => !id.startsWith(`${tenant}-`))).toEqual([])
  }
})

const headers = (tenant: string) => ({ 'x-fabric-tenant': tenant })

const workOf = (tenant: string, round: number): Work[] => [
  {
    tenant,
    id: `${tenant}-chat-${round}`,
    kind: 'chat',
    body: script({ text: 'x'.repeat(60), chunks: 30, everyMs: 8 }, { approve: 'write' }, { text: 'done' }),
  },
  {
    tenant,
    id: `${tenant}-work-${round}`,
    kind: 'background',
    body: script({ checkpoint: 'begun' }, { text: 'y'.repeat(20), chunks: 10, everyMs: 20 }, { text: 'done' }),
  },
]

/** Whether the server has said that it took it. */
const start = async ({ tenant, id, kind, body }: Work): Promise<boolean> => {
  const asked = { ...headers(tenant), 'idempotency-key': id }
  const answer =
    kind === 'chat'
      ? post(`${server.url}/agents/scripted/${id}`, body, { ...asked, prefer: 'respond-async' })
      : post(`${server.url}/sessions`, { engine: 'scripted', session_id: id, max_retries: 99, ...body }, asked)
  return answer.then(
    ({ status }) => status === 202,
    () => false,
  )
}

const approveSome = async (works: readonly Work[]): Promise<void> => {
  for (const work of works) await approve(work).catch(() => {})
}

const approve = async ({ tenant, id }: Work): Promise<Record<string, unknown>> => {
  const { body } = await get(`${server.url}/sessions/${id}`, headers(tenant))
  for (const { id: approvalId } of (body.approvals ?? []) as { id: string }[])
    await post(`${server.url}/sessions/${id}/approvals/${approvalId}/approve`, {}, headers(tenant))
  return body
}

const OVER = ['idle', 'completed', 'failed', 'cancelled']

const ended = async (work: Work): Promise<Record<string, unknown>> => {
  for (let tries = 0; tries < 4_000; tries++) {
    const detail = await approve(work)
    const isOver = OVER.includes(String(detail.status)) && (detail.approvals as unknown[]).length === 0
    if (isOver && detail.queued === 0) return detail
    await sleep(20)
  }
  throw new Error(`${work.id} never ended: ${JSON.stringify((await get(`${server.url}/sessions/${work.id}`)).body)}`)
}

const framesOf = async ({ tenant, id }: Work, enough: (frames: readonly Frame[]) => boolean): Promise<Frame[]> => {
  const frames = await readFrames(`${server.url}/agents/scripted/${id}/stream`, enough, headers(tenant)).catch(() => [])
  return frames.filter(({ id: seq }) => seq !== null)
}

const isAtHead = (frames: readonly Frame[], { lastEventId }: Record<string, unknown>): boolean =>
  ['idle', 'error', 'result'].includes(frames.at(-1)?.data.type ?? '') &&
  (frames.at(-1)?.data.type === 'idle' || frames.at(-1)?.id === lastEventId)

/** What is told now begins with what was told before, byte by byte. */
const compare = (seen: Map<string, string[]>, { id }: Work, frames: readonly Frame[]): void => {
  const told = frames.map(({ raw }) => raw)
  const before = seen.get(id) ?? []
  const both = Math.min(told.length, before.length)
  expect(told.slice(0, both)).toEqual(before.slice(0, both))
  if (told.length > before.length) seen.set(id, told)
}

/** Numbers from 0 to 1 that a seed repeats. */
const chanceFrom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
