// A socket that slept and wakes, as on a platform whose sockets outlive the memory behind them.
import { expect, test } from 'vitest'
import { fabricSockets } from '../fabric/socket-routes.ts'
import type { Receiver, Socket } from '../http/streams/socket-route.ts'
import { world } from '../http/test-app.suite.ts'
import { transportSockets } from './routes.ts'

const key = { tenant: 'default', agent: 'scripted', id: 'one' }
const say = (text: string) => ({ prompt: `@script ${JSON.stringify([{ text }])}` })

const farEnd = () => {
  const sent: { type: string; seq?: number; prev?: number; event?: { type: string } }[] = []
  const socket: Socket = {
    send: (messages) => sent.push(...messages.map((message) => JSON.parse(message))),
    close: () => {},
    buffered: () => 0,
    drained: async () => {},
  }
  return { sent, socket }
}

const open = async (rows: typeof transportSockets, { app }: ReturnType<typeof world>, query: object) => {
  const { ports } = app
  const access = await ports.door.admit(new Request('http://127.0.0.1/'), '')
  if (access instanceof Response) throw new Error('refused')
  const request = new Request('http://127.0.0.1/')
  const opener = await rows[0]?.accept({ request, param: () => 'one', query, access, ports })
  if (!opener || opener instanceof Response) throw new Error('refused')
  const end = farEnd()
  return { ...end, receiver: opener(end.socket) as Required<Receiver> }
}

test('one that was told everything is told nothing, and goes on with its numbers', async () => {
  const here = world()
  await here.post('/agents/scripted/one', say('Hi'))
  const slept = await open(transportSockets, here, { sessionId: 'one' })
  const rested = JSON.parse(JSON.stringify(slept.receiver.rest()))
  slept.receiver.closed()
  const { head } = (await here.host.open(key)).state
  const { sent, socket } = farEnd()
  ;(await transportSockets[0]?.wake(rested, head, here.app.ports))?.(socket)
  expect(sent).toEqual([])
  await here.post('/agents/scripted/one', say('again'))
  expect(sent[0]).toMatchObject({ type: 'delta', prev: slept.sent[0]?.seq })
})

test('one that missed something gets the whole state', async () => {
  const here = world()
  await here.post('/agents/scripted/one', say('Hi'))
  const slept = await open(transportSockets, here, { sessionId: 'one' })
  const rested = slept.receiver.rest()
  slept.receiver.closed()
  await here.post('/agents/scripted/one', say('again'))
  const { head } = (await here.host.open(key)).state
  const { sent, socket } = farEnd()
  ;(await transportSockets[0]?.wake(rested, head, here.app.ports))?.(socket)
  expect(sent.map(({ type }) => type)).toEqual(['state'])
})

test('a Fabric socket goes on behind what it was told, without another end of its replay', async () => {
  const here = world({ heartbeatMs: 0 })
  await here.post('/agents/scripted/one', say('Hi'))
  const slept = await open(fabricSockets, here, { replay: '0' })
  const rested = slept.receiver.rest()
  slept.receiver.closed()
  const { head } = (await here.host.open(key)).state
  await here.post('/agents/scripted/one', say('again'))
  const { sent, socket } = farEnd()
  ;(await fabricSockets[0]?.wake(rested, head, here.app.ports))?.(socket)
  await expect.poll(() => sent.at(-1)?.event?.type).toBe('idle')
  expect(sent.filter(({ type }) => type !== 'event')).toEqual([])
})
