// Reports of a Worker, from the object that makes them to the lines of the terminal, without a Worker.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventType } from '@bridle/events/catalogue'
import type { AnyEvent } from '@bridle/kernel/event'
import { devReporter } from '@bridle/server/cloudflare/dev-reports'
import type { AgentFailure, RunUpdate } from '@bridle/server/node/index'
import { afterAll, afterEach, expect, test } from 'vitest'
import { listenForReports, mappedStack, type ReportListener } from './report-listener.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-reports-'))
const { stackTraceLimit } = Error
let listener: ReportListener
afterEach(() => {
  listener?.close()
  Error.stackTraceLimit = stackTraceLimit
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = (id: string) => ({ tenant: 't', agent: 'greet', id })
const event = (at: number, type: EventType, payload: object): AnyEvent =>
  ({ seq: 1, at, run: 'r-1', type, payload }) as unknown as AnyEvent
const listen = async () => {
  const updates: RunUpdate[] = []
  const failures: AgentFailure[] = []
  const current: boolean[] = []
  listener = await listenForReports({
    run: (each) => void updates.push(each),
    failure: (each, isCurrent) => {
      failures.push(each)
      current.push(isCurrent?.(join(folder, 'a.ts')) ?? true)
    },
  })
  return { updates, failures, current }
}

test('[C240] news of three sessions arrive in order, from an object each', async () => {
  const { updates } = await listen()
  const work: Promise<void>[] = []
  const sessions = ['one', 'two', 'three'].map((id) => ({
    id,
    reporter: devReporter({ BRIDLE_DEV_REPORTS: listener.url }, (each) => work.push(each)),
  }))
  for (const { id, reporter } of sessions) reporter?.commit(key(id), [event(1_000, 'turn_start', { turn_id: 'r-1' })])
  for (const { id, reporter } of sessions)
    reporter?.commit(key(id), [event(1_100, 'approval_required', { request_id: `apr-${id}`, tool_name: 'write' })])
  for (const { id, reporter } of sessions)
    reporter?.commit(key(id), [event(1_500, 'turn_end', { turn_id: 'r-1', status: 'completed' })])
  await Promise.all(work)
  await expect.poll(() => updates.length).toBe(6)
  for (const { id } of sessions)
    expect(updates.filter(({ key: { id: each } }) => each === id)).toMatchObject([
      { type: 'approval', approvalId: `apr-${id}`, subject: 'write' },
      { type: 'end', outcome: 'completed', ms: 500 },
    ])
})

test('[C240] an error arrives with its causes, and what is no error as its text', async () => {
  const { failures } = await listen()
  const work: Promise<void>[] = []
  const reporter = devReporter({ BRIDLE_DEV_REPORTS: listener.url }, (each) => work.push(each))
  const place = { key: key('one'), runId: 'r-1', attempt: 1, tool: null }
  const round = new Error('round')
  round.cause = round
  reporter?.failure({ ...place, error: new TypeError('outer', { cause: new RangeError('inner') }) })
  reporter?.failure({ ...place, tool: 'brew', error: 'tea' })
  reporter?.failure({ ...place, error: round })
  // A value without a prototype has no text.
  reporter?.failure({ ...place, error: Object.create(null) })
  await Promise.all(work)
  await expect.poll(() => failures.length).toBe(4)
  const [first, second, third, fourth] = failures as [AgentFailure, AgentFailure, AgentFailure, AgentFailure]
  const error = first.error as Error
  expect([error.name, error.message, (error.cause as Error).name]).toEqual(['TypeError', 'outer', 'RangeError'])
  expect(error.stack).toContain('dev-reports.test.ts')
  expect([second.tool, second.error]).toEqual(['brew', 'tea'])
  expect((third.error as Error).message).toBe('round')
  expect(fourth.error).toBe('Unknown error.')
})

test('[C240] nothing is reported where nobody listens, and a terminal that is gone stops no run', async () => {
  expect(devReporter({}, () => {})).toBeNull()
  await listen()
  const { url } = listener
  listener.close()
  const work: Promise<void>[] = []
  const reporter = devReporter({ BRIDLE_DEV_REPORTS: url }, (each) => work.push(each))
  for (let count = 0; count < 5_000; count++)
    reporter?.commit(key('one'), [event(1, 'turn_end', { turn_id: 'r-1', status: 'failed' })])
  await expect(Promise.all(work)).resolves.toBeDefined()
})

test.each([
  ['another path', '/', 'POST', '[]', 404],
  ['another method', '', 'GET', undefined, 404],
  ['no JSON', '', 'POST', '{', 400],
  ['no list', '', 'POST', '7', 400],
])('[C240] %s is refused', async (_name, path, method, body, status) => {
  const { updates } = await listen()
  const url = path === '' ? listener.url : new URL(path, listener.url)
  expect((await fetch(url, { method, ...(body !== undefined && { body }) })).status).toBe(status)
  expect(updates).toEqual([])
})

test('[C240] places of a bundle become places of the files that it was made of', () => {
  mkdirSync(join(folder, 'tmp'))
  const bundle = join(folder, 'tmp/index.js')
  // The first character of line 2 comes from line 5, column 3 of the file.
  writeFileSync(
    `${bundle}.map`,
    JSON.stringify({ version: 3, sources: ['../agents/a.ts'], names: [], mappings: ';AAIE' }),
  )
  const place = join(folder, 'agents/a.ts:5:3')
  expect(mappedStack(`Error: x\n    at f (file://${bundle}:2:1)\n    at ${bundle}:2:1`)).toBe(
    `Error: x\n    at f (${place})\n    at ${place}`,
  )
  const foreign = `Error: /a:1:1 of x\n    at f (file://${folder}/none.js:2:1)\n    at node:internal:1:2`
  expect(mappedStack(foreign)).toBe(foreign)
})

test('[C240] an error arrives with whether a file is still as it was built', async () => {
  const { current } = await listen()
  const sources = { sources: ['a.ts'], sourcesContent: ['two()\n'] }
  writeFileSync(join(folder, 'worker.js.map'), JSON.stringify({ version: 3, ...sources, names: [], mappings: 'AAAA' }))
  const stack = `Error: no tea\n    at brew (file://${join(folder, 'worker.js')}:1:1)`
  const error = Object.assign(new Error('no tea'), { stack })
  for (const [at, text] of ['two()\n', '// saved\ntwo()\n'].entries()) {
    writeFileSync(join(folder, 'a.ts'), text)
    const reporter = devReporter({ BRIDLE_DEV_REPORTS: listener.url }, () => {})
    reporter?.failure({ key: key('one'), runId: 'r-1', attempt: 1, tool: null, error })
    await expect.poll(() => current.length).toBe(at + 1)
  }
  expect(current).toEqual([true, false])
})
