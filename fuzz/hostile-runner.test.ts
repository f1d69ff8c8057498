// A real server with a remote runner that sends anything: each prompt gets a stream of corrupted frames. The run ends, the
// log folds, and no other session sees any of it.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runnerEventSchemas } from '@bridle/runners/protocol/protocol'
import { toJsonSchema } from '@valibot/to-json-schema'
import fc from 'fast-check'
import type { GenericSchema } from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { bodyText, HOSTILE_WORDS } from './hostile.ts'
import type { JsonSchema } from './json-schema.ts'
import { expectNoInternals, expectPrototypesUnchanged, fetchWithRetry } from './promises.ts'
import { FuzzWorld, TOKEN } from './world.ts'

/** The reader alone gets every input in runner-frames.test.ts; here each is a run. */
const SHARE = 0.1

const world = new FuzzWorld()
let runner: Server
let stream: readonly string[] = []

beforeAll(async () => {
  runner = createServer((request, response) => {
    request.resume()
    if (request.url === '/query') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const [index, data] of stream.entries()) response.write(`id: ${index + 1}\ndata: ${data}\n\n`)
      response.end()
    } else if (request.url === '/health') {
      response.end('{"ok":true,"busy":false,"hasAnthropicKey":true}')
    } else {
      const isRun = request.url?.endsWith('/events')
      response.writeHead(isRun ? 404 : 200, { 'content-type': 'application/json' })
      response.end(
        isRun ? '{"error":{"type":"run_unknown","message":"There was never such a run here."}}' : '{"ok":true}',
      )
    }
  }).listen(0, '127.0.0.1')
  await once(runner, 'listening')
  const url = `http://127.0.0.1:${(runner.address() as AddressInfo).port}`
  await world.start({ env: { BRIDLE_RUNNER_URL: url, BRIDLE_RUNNER_TOKEN: 'x' } })
})
afterAll(async () => {
  await world.end()
  runner.closeAllConnections()
  runner.close()
})

const types = Object.keys(runnerEventSchemas) as (keyof typeof runnerEventSchemas)[]
const words = ['call', 'Write', 'ok', 'hello', 'pure', ...HOSTILE_WORDS]
const dataOf = (type: keyof typeof runnerEventSchemas) => {
  const {
    properties,
    required = [],
    ...rest
  } = toJsonSchema(runnerEventSchemas[type] as GenericSchema, {
    errorMode: 'ignore',
    typeMode: 'input',
  }) as JsonSchema
  return bodyText(
    { ...rest, properties: { ...properties, type: { const: type } }, required: ['type', ...required] },
    words,
  )
}
const data = fc.oneof(...types.map(dataOf))

/** Most streams end as a run does; an approval is left out, since the run would wait for it. */
const said = fc.tuple(
  fc.array(data, { maxLength: 5 }),
  fc.constantFrom(
    '{"type":"run.completed","result":"done"}',
    '{"type":"run.error","message":"no"}',
    '{"type":"run.error"}',
  ),
)

test('whatever a runner says, its run ends and the log folds', async () => {
  let count = 0
  await holdsForAll(
    said,
    async ([frames, end]) => {
      stream = [...frames.map((each) => each.replaceAll(/[\r\n]/g, ' ')), end].filter(
        (each) => !each.includes('approval.required'),
      )
      const id = `hostile-${count++ % 50}`
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
      const response = await fetchWithRetry(`${world.url}/agents/claude/${id}`, {
        method: 'POST',
        headers,
        body: '{"prompt":"go"}',
      })
      const text = await response.text()
      expectPrototypesUnchanged()
      expect([id, response.status, response.status === 200 || JSON.parse(text).error.reason !== undefined]).toEqual([
        id,
        expect.toSatisfy((status: number) => [200, 500].includes(status)),
        true,
      ])
      if (response.status === 500) expectNoInternals(text)
    },
    SHARE,
  )
  await world.check()
  await world.reopen()
})
