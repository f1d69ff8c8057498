// The sandbox runner: every route with bodies from its schemas, at a runner that plays a puppet. A runner has one run at a time
// and remembers the highest epoch, so a fresh one takes over now and then.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { puppetEngine, steps, text } from '@bridle/runners/engines/puppet.suite'
import {
  ackSchema,
  approvalAnswerSchema,
  cancelSchema,
  envSchema,
  querySchema,
  steerSchema,
} from '@bridle/runners/protocol/protocol'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { toJsonSchema } from '@valibot/to-json-schema'
import fc from 'fast-check'
import type { GenericSchema } from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { bodyText, HOSTILE_WORDS } from './hostile.ts'
import type { JsonSchema } from './json-schema.ts'
import { expectErrorBody, expectNoInternals, expectPrototypesUnchanged, fetchWithRetry } from './promises.ts'

const TOKEN = 'token-of-the-runner'
const FRESH_AFTER = 250
let folder: string
let runner: SandboxRunner | null = null
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-fuzz-'))
})
afterAll(async () => {
  await runner?.close()
  rmSync(folder, { recursive: true, force: true })
})

const fresh = async (): Promise<SandboxRunner> => {
  await runner?.close()
  runner = await SandboxRunner.start({
    engines: [puppetEngine()],
    workFolder: join(folder, 'work'),
    stateFolder: join(folder, 'state'),
    token: TOKEN,
    env: { ANTHROPIC_API_KEY: 'key-of-the-runner' },
  })
  return runner
}

const words = [
  'puppet',
  'a',
  'b',
  'call',
  'approved',
  steps(text('hello')),
  steps({ ask: { toolUseId: 'call', toolName: 'Write', input: {}, reason: 'why' } }),
  steps({ end: { kind: 'completed', result: 'x' } }),
  steps({ reject: 'no' }),
  '[',
  ...HOSTILE_WORDS,
]
const bodyOf = (schema: GenericSchema) =>
  bodyText(toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' }) as JsonSchema, words)

const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('a', 'b', 'call') }, fc.constantFrom(...HOSTILE_WORDS))
const at = (before: string, after = '') =>
  name.map((each) => `${before}${encodeURIComponent(each.toWellFormed().slice(0, 2_000))}${after}`)
const row = (method: string, path: fc.Arbitrary<string>, body: fc.Arbitrary<string>) =>
  fc.tuple(path, body).map(([place, content]) => ({ method, path: place, body: content }))

const asked = fc.oneof(
  row('POST', fc.constant('/query'), bodyOf(querySchema)),
  row('PUT', fc.constant('/env'), bodyOf(envSchema)),
  row('POST', at('/runs/', '/cancel'), bodyOf(cancelSchema)),
  row('POST', at('/runs/a/approvals/'), bodyOf(approvalAnswerSchema)),
  row('POST', at('/runs/', '/steer'), bodyOf(steerSchema)),
  row('POST', at('/runs/', '/ack'), bodyOf(ackSchema)),
  row('GET', at('/runs/', '/events'), fc.constant('')),
  row('GET', fc.constantFrom('/engines', '/health', '/', '//', '/%', '/runs', '/query'), fc.constant('')),
)
const authorization = fc.oneof(
  { weight: 12, arbitrary: fc.constant(`Bearer ${TOKEN}`) },
  fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic eDp4'),
)

test('no request makes a runner fail, tell of its inside, or stop answering', async () => {
  let count = 0
  await holdsForAll(fc.tuple(asked, authorization), async ([{ method, path, body }, bearer]) => {
    if (count++ % FRESH_AFTER === 0) await fresh()
    const url = runner?.url ?? ''
    const leave = new AbortController()
    const response = await fetchWithRetry(`${url}${path}`, {
      method,
      headers: { ...(bearer !== '' && { authorization: bearer }) },
      signal: AbortSignal.any([leave.signal, AbortSignal.timeout(20_000)]),
      ...(method !== 'GET' && { body: Buffer.from(body) }),
    })
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    const said = isStream ? '' : await response.text()
    leave.abort()
    expectPrototypesUnchanged()
    expect(said).not.toContain(TOKEN)
    expect(said).not.toContain('key-of-the-runner')
    if (response.status < 400) return
    expectNoInternals(said)
    expectErrorBody(JSON.parse(said))
    expect([400, 401, 403, 404, 409, 410, 413]).toContain(response.status)
  })
  const health = await fetch(`${runner?.url}/health`)
  expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ ok: true })])
})
