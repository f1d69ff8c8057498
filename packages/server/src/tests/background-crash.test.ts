// kill -9, again and again, while a hundred background sessions run: each ends as it would have, and no event disappears.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get, post, readFrames, type SseFrame, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServerProcess } from './server-process.suite.ts'

let folder: string
let server: ServerProcess
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-background-'))
  server = new ServerProcess(folder)
  await server.boot()
})
afterEach(async () => {
  await server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface BackgroundCase {
  readonly name: string
  readonly count: number
  readonly body: object
  readonly ends: string
}
const kinds: readonly BackgroundCase[] = [
  {
    name: 'write',
    count: 40,
    body: { ...scriptBody({ checkpoint: 'begun' }, { text: 'x'.repeat(40), chunks: 20, everyMs: 25 }) },
    ends: 'completed',
  },
  {
    name: 'ask',
    count: 25,
    body: { ...scriptBody({ text: 'may I? ' }, { approve: 'write' }, { text: 'done' }) },
    ends: 'completed',
  },
  {
    name: 'fail',
    count: 15,
    body: { ...scriptBody({ text: 'a' }, { sleepMs: 300 }, { fail: 'no use' }) },
    ends: 'failed',
  },
  { name: 'stop', count: 10, body: { ...scriptBody({ text: 'a' }, { sleepMs: 60_000 }) }, ends: 'paused' },
  {
    name: 'late',
    count: 10,
    body: { ...scriptBody({ approve: 'write' }), expires_at: new Date(Date.now() + 3_000).toISOString() },
    ends: 'failed',
  },
]
const all = kinds.flatMap(({ name, count, body, ends }) =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, body, ends })),
)

test('[F18] a hundred background sessions survive kill -9 in a loop', { timeout: 120_000 }, async () => {
  for (const { id, body } of all) {
    const started = { engine: 'scripted', session_id: id, max_retries: 9, ...body }
    const { status } = await post(`${server.url}/sessions`, started, { 'idempotency-key': id })
    expect(status).toBe(202)
  }
  for (const { id } of all.filter(({ ends }) => ends === 'paused')) await post(`${server.url}/sessions/${id}/pause`, {})

  const seen = new Map<string, string[]>()
  for (const aliveMs of [150, 40, 400, 0]) {
    const watched = all
      .filter((_, index) => index % 10 === 0)
      .map(({ id }) => ({ id, frames: streamOf(id, () => false).catch(() => []) }))
    await pause(aliveMs)
    await server.kill('SIGKILL')
    for (const { id, frames } of watched) {
      const told = raw(await frames)
      const before = seen.get(id) ?? []
      expect(told.slice(0, before.length)).toEqual(before.slice(0, told.length))
      if (told.length > before.length) seen.set(id, told)
    }
    await server.boot()
    // The same key finds the same session: the client cannot know whether the first answer was lost.
    const [first] = all
    const again = await post(
      `${server.url}/sessions`,
      { engine: 'scripted', session_id: first!.id, max_retries: 9, ...first!.body },
      { 'idempotency-key': first!.id },
    )
    expect([again.status, again.body.session_id]).toEqual([202, first!.id])
  }

  for (const { id, ends } of all) {
    const detail = await settled(id, ends)
    expect([id, detail.status]).toEqual([id, ends])
    expect([id, (detail.health as { score: number }).score]).toEqual([id, expect.any(Number)])
    const frames = await streamOf(id, (told) => lastSeq(told) >= shownHead(detail))
    const types = frames.map(({ data }) => data.type)
    expect([id, types.filter((type) => type === 'turn_end').length]).toEqual([id, ends === 'paused' ? 0 : 1])
    expect(raw(frames).slice(0, seen.get(id)?.length ?? 0)).toEqual(seen.get(id) ?? [])
    const kindsLeft = (detail.artifacts as { artifact_type: string }[]).map((each) => each.artifact_type)
    if (ends === 'completed') expect([id, kindsLeft]).toEqual([id, ['final_output', 'run_record']])
    if (id.startsWith('late'))
      expect((detail.checkpoints as { checkpoint_type: string }[])[0]?.checkpoint_type).toBe('expired')
  }
  const { body } = await get(`${server.url}/sessions?kind=background&limit=500`)
  expect(body.sessions).toHaveLength(all.length)
})

test('[F7] work that says nothing of retries survives kill -9 too', async () => {
  const { body } = await post(`${server.url}/sessions`, {
    engine: 'scripted',
    ...scriptBody({ checkpoint: 'begun' }, { sleepMs: 1_000 }, { text: 'done' }),
  })
  const id = String(body.session_id)
  await streamOf(id, (told) => told.some(({ data }) => data.type === 'session_checkpoint'))
  await server.kill('SIGKILL')
  await server.boot()
  expect(await settled(id, 'completed')).toMatchObject({ attempt_count: 2, max_retries: 3 })
})

/** Answers every approval, and waits for the session to end. */
const settled = async (id: string, ends: string): Promise<Record<string, unknown>> => {
  for (let tries = 0; tries < 4_000; tries++) {
    const { body } = await get(`${server.url}/sessions/${id}`)
    const [asked] = body.approvals as { id: string }[]
    if (asked && !id.startsWith('late')) await post(`${server.url}/sessions/${id}/approvals/${asked.id}/approve`, {})
    else if (body.status === ends) return body
    await pause(20)
  }
  throw new Error(`${id} never ended: ${JSON.stringify((await get(`${server.url}/sessions/${id}`)).body)}`)
}

/** The events without the greeting, which is not in the log. */
const streamOf = async (id: string, enough: (frames: readonly SseFrame[]) => boolean): Promise<SseFrame[]> =>
  (await readFrames(`${server.url}/sessions/${id}/events/stream`, enough)).filter(({ id: seq }) => seq !== null)

const raw = (frames: readonly SseFrame[]): string[] => frames.map((frame) => frame.raw)
const lastSeq = (frames: readonly SseFrame[]): number => Number(frames.at(-1)?.id ?? 0)
/** The last event that a reader is shown; of a session at rest, that is no piece of a text. */
const shownHead = ({ channel }: Record<string, unknown>): number =>
  (channel as { envelopes: { seq: number }[] }).envelopes.at(-1)?.seq ?? 0
