// A WebSocket client for tests that sees everything: each message, the close code, and the answer to a refused upgrade.

import type { AgentEvent, FabricServerMessage } from '@bridle/wire/fabric/wire'
import { type ClientOptions, WebSocket } from 'ws'

export interface TestSocket {
  readonly ws: WebSocket
  readonly messages: FabricServerMessage[]
  /** All messages so far, once `enough` says so or the socket has closed. */
  until(enough: (messages: readonly FabricServerMessage[]) => boolean): Promise<readonly FabricServerMessage[]>
  say(message: unknown): void
  readonly closed: Promise<{ code: number; reason: string }>
}

/** Resolves when the socket is open. */
export const openTestSocket = async (
  url: string,
  { protocols = [], ...options }: ClientOptions & { protocols?: string[] } = {},
): Promise<TestSocket> => {
  const ws = new WebSocket(url.replace(/^http/, 'ws'), protocols, options)
  const messages: FabricServerMessage[] = []
  let look = () => {}
  let isClosed = false
  ws.on('message', (data) => {
    messages.push(JSON.parse(data.toString()) as FabricServerMessage)
    look()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => {
      isClosed = true
      look()
      resolve({ code, reason: reason.toString() })
    })
  })
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve)
    ws.once('error', reject)
  })
  ws.on('error', () => {})
  return {
    ws,
    messages,
    closed,
    say: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    until: (enough) =>
      new Promise((resolve) => {
        look = () => {
          if (enough(messages) || isClosed) resolve(messages)
        }
        look()
      }),
  }
}

/** The answer to a refused upgrade; 101 when it was accepted. */
export const upgradeAnswer = (
  url: string,
  { protocols = [], ...options }: ClientOptions & { protocols?: string[] } = {},
): Promise<{ status: number | undefined; body: unknown }> =>
  new Promise((resolve, reject) => {
    const ws = new WebSocket(url.replace(/^http/, 'ws'), protocols, options)
    ws.on('unexpected-response', async (_request, response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode, body: JSON.parse(text) })
      ws.terminate()
    })
    ws.on('open', () => {
      resolve({ status: 101, body: null })
      ws.terminate()
    })
    ws.on('error', reject)
  })

export const messageTypes = (messages: readonly FabricServerMessage[]): string[] =>
  messages.map((message) => (message.type === 'event' ? message.event.type : message.type))

export const eventsOf = (messages: readonly FabricServerMessage[]): AgentEvent[] =>
  messages.flatMap((message) => (message.type === 'event' ? [message.event] : []))

export const hasEvent =
  (type: string, times = 1) =>
  (messages: readonly FabricServerMessage[]): boolean =>
    messageTypes(messages).filter((each) => each === type).length >= times
