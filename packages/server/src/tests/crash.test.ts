// kill -9, from outside, case by case. crash/ kills at any moment, with clients on every wire; these tests show the state after a single kill.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  get,
  isIdle,
  post,
  readFrames,
  type SseFrame,
  scriptBody,
  typesOf,
  watchStream,
} from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { longTest } from '../../../../scripts/long-test.ts'
import { ServerProcess } from './server-process.suite.ts'

let folder: string
let server: ServerProcess

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-crash-'))
  server = new ServerProcess(folder)
  await boot()
})
afterEach(async () => {
  await kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const boot = () => server.boot()
const kill = (signal: 'SIGKILL' | 'SIGTERM') => server.kill(signal)

const agent = (id: string) => `${server.url}/agents/scripted/${id}`
const seen =
  (type: string, count = 1) =>
  (frames: readonly SseFrame[]) =>
    frames.filter((frame) => frame.data.type === type).length >= count

test('[S12] a stream cut by kill -9 resumes by cursor: nothing lost, nothing repeated, one error at the end', async () => {
  const id = 'cut'
  const watched = await watchStream(`${agent(id)}/stream`, () => false)
  post(agent(id), scriptBody({ text: 'x'.repeat(400), chunks: 200, everyMs: 2 })).catch(() => {})
  await readFrames(`${agent(id)}/stream`, seen('text_delta', 5))
  await kill('SIGKILL')
  const before = await watched.frames
  await boot()

  const all = await readFrames(`${agent(id)}/stream`, isIdle)
  expect(raw(all.slice(0, before.length))).toEqual(raw(before))
  const rest = await readFrames(`${agent(id)}/stream`, isIdle, { 'last-event-id': before.at(-1)?.id ?? '' })
  expect(raw(rest)).toEqual(raw(all.slice(before.length)))
  expect(typesOf(all.slice(-2))).toEqual(['error', 'idle'])
  expect(typesOf(all).filter((type) => type === 'error' || type === 'result')).toEqual(['error'])
  expect(all.at(-2)?.data.data.reason).toBe('interrupted')

  const detail = (await get(`${server.url}/sessions/${id}`)).body as {
    status: string
    messages: { content: string }[]
  }
  const text = all.map((frame) => frame.data.data.delta ?? '').join('')
  expect([detail.status, detail.messages.at(-1)?.content]).toEqual(['failed', text])
})

test('[S15] an approval expires though nobody was running', async () => {
  post(agent('late'), scriptBody({ approve: 'write', expiresMs: 300 }, { text: 'went on' })).catch(() => {})
  await readFrames(`${agent('late')}/stream`, seen('approval_requested'))
  await kill('SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 400))
  await boot()
  const all = await readFrames(`${agent('late')}/stream`, isIdle)
  expect(all.find((frame) => frame.data.type === 'approval_resolved')?.data.data.decision).toBe('expired')
  expect(all.find((frame) => frame.data.type === 'tool_end')?.data.data.isError).toBe(true)
  expect(all.at(-2)?.data.data.result).toBe('went on')
})

test('[S70] a question keeps its id over kill -9, and its agent gets the answer', async () => {
  const ask = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'] }
  post(agent('asks'), scriptBody(ask, { text: 'after' })).catch(() => {})
  const asked = await readFrames(`${agent('asks')}/stream`, seen('approval_requested'))
  const { approvalId, kind } = asked.at(-1)?.data.data ?? {}
  await kill('SIGKILL')
  await boot()
  const detail = (await get(`${server.url}/sessions/asks`)).body
  expect(detail).toMatchObject({ status: 'awaiting_approval', approvals: [{ id: approvalId, kind }] })
  const answer = (label: string) =>
    post(`${server.url}/sessions/asks/approvals/${approvalId}/answer`, { answers: { db: label } })
  expect((await answer('Oracle')).status).toBe(400)
  await kill('SIGKILL')
  await boot()
  expect((await answer('SQLite')).status).toBe(200)
  const all = await readFrames(`${agent('asks')}/stream`, isIdle)
  expect(all.find((frame) => frame.data.type === 'tool_end')?.data.data.result).toEqual({ answers: { db: 'SQLite' } })
  expect(typesOf(all).filter((type) => type === 'approval_requested')).toHaveLength(1)
  expect(all.at(-2)?.data.data.result).toBe('after')
  await kill('SIGKILL')
  await boot()
  expect((await answer('SQLite')).status).toBe(200)
  expect((await answer('PostgreSQL')).status).toBe(409)
})

longTest('[S74] a question expires though nobody was running, and its default applies', async () => {
  const ask = { ask: 'Which database?', id: 'db', options: ['SQLite', 'PostgreSQL'], expiresMs: 300 }
  for (const more of [{ default: 'SQLite' }, {}])
    post(agent(`late-${Object.keys(more).length}`), scriptBody({ ...ask, ...more }, { text: 'went on' })).catch(
      () => {},
    )
  for (const id of ['late-0', 'late-1']) await readFrames(`${agent(id)}/stream`, seen('approval_requested'))
  await kill('SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 400))
  await boot()
  const resolvedOf = async (id: string) => {
    const all = await readFrames(`${agent(id)}/stream`, isIdle)
    expect(all.at(-2)?.data.data.result).toBe('went on')
    return all.find((frame) => frame.data.type === 'approval_resolved')?.data.data
  }
  expect(await resolvedOf('late-1')).toMatchObject({
    decision: 'approved',
    reason: 'expired',
    answers: { db: 'SQLite' },
  })
  expect(await resolvedOf('late-0')).toMatchObject({ decision: 'expired', reason: 'expired' })
})

test('[S2] what waited in the queue runs by itself after kill -9', async () => {
  post(agent('queue'), scriptBody({ sleepMs: 60_000 })).catch(() => {})
  await readFrames(`${agent('queue')}/stream`, seen('prompt_start'))
  post(agent('queue'), scriptBody({ text: 'second' }), { 'idempotency-key': 'q2' }).catch(() => {})
  for (let queued = 0; queued === 0; ) queued = Number((await get(`${server.url}/sessions/queue`)).body.queued)
  await kill('SIGKILL')
  await boot()
  // [H3] The same key finds the same run, over or not.
  expect((await post(agent('queue'), scriptBody({ text: 'second' }), { 'idempotency-key': 'q2' })).body.result).toBe(
    'second',
  )
  const all = await readFrames(`${agent('queue')}/stream`, isIdle)
  expect(typesOf(all)).toEqual(['prompt_start', 'notice', 'error', 'prompt_start', 'text_delta', 'result', 'idle'])
})

test('[O4] SIGTERM closes streams, leaves the folder free and exits with 0', async () => {
  const watched = await watchStream(`${agent('term')}/stream`, () => false)
  await post(agent('term'), scriptBody({ text: 'hello' }))
  expect(await kill('SIGTERM')).toBe(0)
  expect(typesOf(await watched.frames)).toEqual(['prompt_start', 'text_delta', 'result', 'idle'])
  await boot()
  expect((await get(`${server.url}/sessions/term`)).body.status).toBe('idle')
})

longTest('[O4] SIGTERM lets a run that ends in time end, and one that waits go on after the restart', async () => {
  const short = post(agent('short'), scriptBody({ text: 'a' }, { sleepMs: 100 }, { text: 'b' }))
  post(agent('waits'), scriptBody({ approve: 'write' }, { text: 'after' })).catch(() => {})
  await readFrames(`${agent('short')}/stream`, seen('text_delta'))
  const asked = await readFrames(`${agent('waits')}/stream`, seen('approval_requested'))
  expect(await kill('SIGTERM')).toBe(0)
  expect((await short).body.result).toBe('ab')
  await boot()
  await post(`${server.url}/sessions/waits/approvals/${asked.at(-1)?.data.data.approvalId}/approve`, {})
  expect((await readFrames(`${agent('waits')}/stream`, isIdle)).at(-2)?.data.data.result).toBe('after')
})

const raw = (frames: readonly SseFrame[]): string[] => frames.map((frame) => frame.raw)
