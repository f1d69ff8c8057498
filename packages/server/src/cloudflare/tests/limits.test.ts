// The largest row, value between two objects, message and attachment that the platform takes, in the real runtime.
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { get, post, scriptBody } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isThorough, variants } from '../../../../../scripts/variants.ts'
import { hasEvent, openTestSocket } from '../../tests/socket-client.suite.ts'
import { attachments, evict, startTestWorker } from './test-worker.suite.ts'
import { noTools, type WorkerdProcess } from './workerd.suite.ts'

const MIB = 1024 * 1024
/** A body that comes in one piece, with its length, and one that comes in many. */
const bodies: { readonly [how: string]: (mib: number) => Uint8Array | ReadableStream } = {
  'with its length': (mib) => new Uint8Array(mib * MIB).fill(32),
  'in pieces': (mib) => {
    let left = mib
    return new ReadableStream({
      pull: (to) => (left-- > 0 ? to.enqueue(new Uint8Array(MIB).fill(32)) : to.close()),
    })
  },
}

/** The platform keeps 16 KiB with a socket, and kept 2 KiB for years. */
const ATTACHMENT_BYTES = 2_048

const unreadBodies: [name: string, path: string, how: string, mib: number, status: number][] = [
  ['too much to the gateway', '/chat/sessions', 'with its length', 20, 413],
  ['too much to a session, in pieces', '/agents/scripted/heavy', 'in pieces', 20, 413],
  ['too much to a session', '/agents/scripted/heavy', 'with its length', 20, 413],
  ['a body to a path that there is not', '/nothing/here', 'with its length', 20, 404],
]

describe.skipIf(noTools)('in workerd', () => {
  let world: WorkerdProcess
  const agent = (id: string) => `${world.url}/agents/scripted/${id}`

  beforeAll(async () => {
    world = await startTestWorker()
  })
  afterAll(() => world?.dispose())

  if (isThorough)
    test('[CF14] a page of sessions fits between two objects, whatever they said', async () => {
      const ids = Array.from({ length: 40 }, (_, index) => `wordy-${index}`)
      const words = 'x'.repeat(900_000)
      for (const id of ids) await post(agent(id), scriptBody({ fail: words }))
      const { status, body } = await get(`${world.url}/sessions?limit=500`)
      expect([status, (body.sessions as unknown[]).length]).toEqual([200, ids.length])
      // All of it is in the session.
      expect((await get(`${world.url}/sessions/${ids[0]}`)).body.last_error).toHaveLength(words.length)
    })

  test('[CF14] [W15] a message as large as the platform takes closes its socket alone', async () => {
    await post(agent('flood'), scriptBody({ text: 'before' }))
    const [flooded, other] = [
      await openTestSocket(`${world.url}/sessions/flood/ws`),
      await openTestSocket(`${world.url}/sessions/flood/ws`),
    ]
    flooded.say('x'.repeat(31 * 1024 * 1024))
    expect((await flooded.closed).code).toBe(1009)
    await post(agent('flood'), scriptBody({ text: 'after' }))
    await other.until(hasEvent('idle'))
    other.ws.close()
  })

  test('[CF14] [S26] a prompt of 1.4 million characters works, by HTTP and on a socket', async () => {
    const prompt = 'é'.repeat(1_400_000)
    expect((await post(agent('long'), { prompt, more: { than: 'that' } })).status).toBe(200)
    const line = await openTestSocket(`${world.url}/ws?sessionId=long-line`)
    line.say({ type: 'commands', commands: [{ type: 'submit', prompt, commandId: 'one' }] })
    const messages = (await line.until((all) => all.some(({ type }) => type === 'ack'))) as readonly object[]
    expect(messages.find((each) => 'commandId' in each)).toMatchObject({ ok: true })
    line.ws.close()
    for (const id of ['long', 'long-line'])
      expect(JSON.stringify((await get(`${world.url}/sessions/${id}`)).body)).toContain(prompt)
  })

  test('[CF1] webSocketError: a socket that breaks the protocol is released, asleep or awake, and the others continue', async () => {
    await post(agent('broken'), scriptBody({ text: 'before' }))
    const others = await Promise.all([1, 2].map(() => openTestSocket(`${world.url}/ws?sessionId=broken`)))
    for (const isAsleep of [false, true]) {
      const upgraded = Promise.withResolvers<Socket>()
      const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
      request(`${world.url}/ws?sessionId=broken`, {
        headers: { ...headers, 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' },
      })
        .on('upgrade', (_response, socket) => upgraded.resolve(socket))
        .end()
      const socket = await upgraded.promise
      await expect.poll(() => attachments(world, 'broken')).toHaveLength(3)
      if (isAsleep) await evict(world, 'broken')
      const ended = once(socket.resume(), 'close')
      // A masked frame with an opcode that does not exist.
      socket.write(Buffer.from([0x8f, 0x80, 0, 0, 0, 0]))
      await expect.poll(() => attachments(world, 'broken')).toHaveLength(2)
      socket.destroy()
      await ended
      const before = others.map(({ messages }) => messages.length)
      await post(agent('broken'), scriptBody({ text: 'after' }))
      for (const [index, { until }] of others.entries())
        await until((messages) => messages.length > (before[index] ?? 0))
    }
    for (const { ws } of others) ws.close()
  })

  test('[CF14] [CF1] the longest names rest with a socket', async () => {
    const id = 'i'.repeat(128)
    const tenant = 't'.repeat(128)
    const headers = { 'x-fabric-tenant': tenant }
    await post(agent(id), scriptBody({ text: 'before' }), headers)
    const sockets = [
      await openTestSocket(`${world.url}/sessions/${id}/ws`, { headers }),
      await openTestSocket(`${world.url}/ws?sessionId=${id}`, { headers }),
    ]
    for (const { until } of sockets) await until((messages) => messages.length > 0)
    const attached = await attachments(world, id, tenant)
    expect(attached).toHaveLength(2)
    for (const each of attached) expect(JSON.stringify(each).length).toBeLessThan(ATTACHMENT_BYTES)
    await evict(world, id, undefined, tenant)
    const before = sockets.map(({ messages }) => messages.length)
    await post(agent(id), scriptBody({ text: 'after' }), headers)
    for (const [index, { until, ws }] of sockets.entries()) {
      await until((messages) => messages.length > (before[index] ?? 0))
      ws.close()
    }
  })

  test.each(variants(unreadBodies.slice(0, 1), unreadBodies.slice(1)))(
    '[CF32] [H12] a client that sends %s gets the answer',
    async (_name, path, how, mib, status) => {
      // A single client may have sent everything before the connection is reset.
      const clients = Array.from({ length: 4 }, async () => {
        const init = { method: 'POST', duplex: 'half', body: bodies[how]?.(mib) }
        const answer = await fetch(`${world.url}${path}`, init as RequestInit)
        await answer.text()
        return answer.status
      })
      expect(await Promise.all(clients)).toEqual(clients.map(() => status))
    },
  )

  if (isThorough)
    test('[CF32] a client that announces a body and sends none of it is answered all the same', async () => {
      const status = await new Promise((resolve, reject) => {
        const headers = { 'content-length': String(20 * MIB) }
        const asking = request(agent('none'), { method: 'POST', headers }, (answer) => {
          resolve(answer.statusCode)
          asking.destroy()
        })
        asking.on('error', reject)
        asking.flushHeaders()
      })
      expect(status).toBe(413)
    })
})
