// A client on a socket of a test app.
import { expect, vi } from 'vitest'
import { fabricSocketRoutes } from '../fabric/routes.ts'
import { transportSocketRoutes } from '../transport/routes.ts'
import { type Socket, type SocketOpener, type SocketReceiver, upgradeSocket } from './streams/socket-route.ts'
import type { testApp } from './test-app.suite.ts'

/** Keeps what it hears, and waits for the ack of what it says. */
export const socketClient = async (it: ReturnType<typeof testApp>, path: string) => {
  const heard: { readonly type: string; readonly [name: string]: unknown }[] = []
  const request = new Request(`http://127.0.0.1${path}`)
  const routes = [...transportSocketRoutes, ...fabricSocketRoutes]
  const opener = (await upgradeSocket(routes, request, '', it.app.ports)) as SocketOpener
  const socket: Socket = {
    send: (messages) => void heard.push(...messages.map((text) => JSON.parse(text))),
    close: () => {},
    buffered: () => 0,
    drained: async () => {},
  }
  const receiver: SocketReceiver = opener(socket)
  const say = async (message: object, commandId: string) => {
    await receiver.onMessage(JSON.stringify(message))
    const ack = () => heard.find((each) => each.type === 'ack' && each.commandId === commandId)
    await vi.waitFor(() => expect(ack()).toBeDefined())
    return ack()
  }
  return { heard, say }
}
