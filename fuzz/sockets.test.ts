// The sockets of a session: messages made from the very schemas that check them, upgrades from their queries. After each message a ping is
// answered, or the server has closed the socket for a reason that the protocol pages have.

import { openTestSocket, type TestSocket, upgradeAnswer } from '@bridle/server/tests/socket-client.suite'
import { fabricSocketRoutes } from '@bridle/surfaces/fabric/routes'
import { transportMessageSchema } from '@bridle/surfaces/transport/codec'
import { transportSocketRoutes } from '@bridle/surfaces/transport/routes'
import { voiceMessageSchema } from '@bridle/surfaces/voice/codec'
import { voiceSocketRoutes } from '@bridle/surfaces/voice/routes'
import { type RealtimeStub, startRealtimeStub } from '@bridle/voice/realtime/openai/realtime-stub.suite'
import { fabricMessageSchema } from '@bridle/wire/fabric/wire/messages'
import { toJsonSchema } from '@valibot/to-json-schema'
import fc from 'fast-check'
import type { GenericSchema } from 'valibot'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { holdsForAll } from './budget.ts'
import { bodyText, HOSTILE_WORDS } from './hostile.ts'
import { type JsonSchema, validValues } from './json-schema.ts'
import { expectErrorBody, expectNoInternals } from './promises.ts'
import { FuzzWorld, TOKEN, WORDS } from './world.ts'

const world = new FuzzWorld()
let provider: RealtimeStub
beforeAll(async () => {
  provider = await startRealtimeStub()
  await world.start({ env: { OPENAI_API_KEY: 'sk-fuzz', OPENAI_BASE_URL: provider.url } })
})
afterAll(async () => {
  await world.end()
  await provider.close()
})

const schemaOf = (schema: GenericSchema): JsonSchema =>
  toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' }) as JsonSchema
const words = [...WORDS, ...HOSTILE_WORDS]

const wires = [
  { name: 'Fabric', path: '/sessions/s1/ws', schema: fabricMessageSchema, row: fabricSocketRoutes[0]! },
  { name: 'transport', path: '/ws?sessionId=s2', schema: transportMessageSchema, row: transportSocketRoutes[0]! },
  {
    ...{ name: 'voice', path: '/sessions/s4/voice?encoding=json&line=fuzz' },
    ...{ schema: voiceMessageSchema, row: voiceSocketRoutes[0]! },
  },
]

describe.each(wires)('the $name socket', ({ path, schema, row }) => {
  let socket: TestSocket | null = null
  beforeEach(() => () => {
    socket?.ws.terminate()
    socket = null
  })

  test('answers a ping after any message, or has closed for a reason', async () => {
    // Beyond what the generator makes, so that no answer to another ping is taken for this one's.
    let pings = 1e12
    const message = fc.oneof(
      { weight: 9, arbitrary: bodyText(schemaOf(schema), words) },
      fc.uint8Array({ maxLength: 64 }),
    )
    await holdsForAll(message, async (content) => {
      socket ??= await openTestSocket(`${world.url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
      const { ws, messages, until, closed } = socket
      messages.length = 0
      const ts = ++pings
      ws.send(content)
      ws.send(JSON.stringify({ type: 'ping', ts }))
      await until((said) => said.some((each) => each.type === 'pong' && each.ts === ts))
      for (const said of messages) {
        if (said.type === 'error') expect(said.message).toEqual(expect.any(String))
        if (said.type === 'error' || said.type === 'ack') expectNoInternals(JSON.stringify(said))
      }
      if (messages.some((each) => each.type === 'pong' && each.ts === ts)) return
      const { code, reason } = await closed
      expectNoInternals(reason)
      // Policy, size, behind, moved; never a fault of the server (1011) or a cut without a word (1006).
      expect([1003, 1007, 1008, 1009, 1012, 1013, 4004, 4008]).toContain(code)
      socket = null
    })
    await world.check()
    await world.reopen()
  })

  test('an upgrade with any query is let in, or refused in the usual shape', async () => {
    const { properties = {} } = schemaOf(row.query as GenericSchema)
    const text = fc.constantFrom(...words)
    const query = fc.record(
      {
        ...Object.fromEntries(
          Object.entries(properties).map(([name, each]) => [name, fc.oneof(validValues(each, words), text)]),
        ),
        ticket: text,
        token: text,
        tenant: text,
      },
      { requiredKeys: [] },
    )
    const id = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('s1', 's2') }, text)
    await holdsForAll(fc.tuple(id, query), async ([session, asked]) => {
      const search = new URLSearchParams(
        Object.entries(asked).map(([name, value]) => [name, String(value).toWellFormed().slice(0, 2_000)]),
      )
      const place = row.path.replace(':id', encodeURIComponent(session.toWellFormed().slice(0, 2_000)))
      const { status, body } = await upgradeAnswer(`${world.url}${place}?${search}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      })
      if (status === 101) return
      expectNoInternals(JSON.stringify(body))
      expectErrorBody(body)
      expect([400, 401, 403, 404, 409, 410, 429, 431, 503]).toContain(status)
    })
    await world.check()
  })
})
