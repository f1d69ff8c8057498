// A socket that slept and wakes, as on a platform whose sockets outlive the memory behind them.
import { expect, test } from 'vitest'
import { fabricSocketRoutes } from '../fabric/routes.ts'
import { isDenial } from '../http/denials/denial.ts'
import type { Socket, SocketReceiver } from '../http/streams/socket-route.ts'
import { testApp } from '../http/test-app.suite.ts'
import { transportSocketRoutes } from './routes.ts'

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

const open = async (rows: typeof transportSocketRoutes, { app }: ReturnType<typeof testApp>, query: object) => {
  const { ports } = app
  const access = await ports.authenticator.authenticate(new Request('http://127.0.0.1/'), '')
  if (isDenial(access)) throw new Error('refused')
  const request = new Request('http://127.0.0.1/')
  const opener = await rows[0]?.accept({ request, param: () => 'one', query, access, ports })
  if (typeof opener !== 'function') throw new Error('refused')
  const end = farEnd()
  return { ...end, receiver: opener(end.socket) as Required<SocketReceiver> }
}

test('one that was told everything is told nothing, and goes on with its numbers', async () => {
  const here = testApp()
  await here.post('/agents/scripted/one', say('Hi'))
  const slept = await open(transportSocketRoutes, here, { sessionId: 'one' })
  const rested = JSON.parse(JSON.stringify(slept.receiver.hibernate()))
  slept.receiver.onClosed()
  const { head } = (await here.host.open(key)).state
  const { sent, socket } = farEnd()
  ;(await transportSocketRoutes[0]?.restore(rested, head, here.app.ports))?.(socket)
  expect(sent).toEqual([])
  await here.post('/agents/scripted/one', say('again'))
  expect(sent[0]).toMatchObject({ type: 'delta', prev: slept.sent[0]?.seq })
})

test('one that missed something gets the whole state', async () => {
  const here = testApp()
  await here.post('/agents/scripted/one', say('Hi'))
  const slept = await open(transportSocketRoutes, here, { sessionId: 'one' })
  const rested = slept.receiver.hibernate()
  slept.receiver.onClosed()
  await here.post('/agents/scripted/one', say('again'))
  const { head } = (await here.host.open(key)).state
  const { sent, socket } = farEnd()
  ;(await transportSocketRoutes[0]?.restore(rested, head, here.app.ports))?.(socket)
  expect(sent.map(({ type }) => type)).toEqual(['state'])
})

test('a Fabric socket goes on behind what it was told, without another end of its replay', async () => {
  const here = testApp({ heartbeatMs: 0 })
  await here.post('/agents/scripted/one', say('Hi'))
  const slept = await open(fabricSocketRoutes, here, { replay: '0' })
  const rested = slept.receiver.hibernate()
  slept.receiver.onClosed()
  const { head } = (await here.host.open(key)).state
  await here.post('/agents/scripted/one', say('again'))
  const { sent, socket } = farEnd()
  ;(await fabricSocketRoutes[0]?.restore(rested, head, here.app.ports))?.(socket)
  await expect.poll(() => sent.at(-1)?.event?.type).toBe('idle')
  expect(sent.filter(({ type }) => type !== 'event')).toEqual([])
})
