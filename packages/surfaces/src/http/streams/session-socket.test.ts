// The life of a socket that every wire shares, on the smallest wire that has commands.

import { LISTENER_BYTES_MAX } from '@bridle/events/limits'
import { expect, test } from 'vitest'
import { RateLimiter } from '../access/rate-limit.ts'
import { CLOSE, SessionSocket, type SessionSocketPorts, type SocketWire } from './session-socket.ts'
import type { Socket } from './socket-route.ts'

interface EchoCommand {
  readonly type: 'echo'
  readonly word: string
}

const WIRE: SocketWire<EchoCommand> = {
  parse: (text) => (text === null ? { problem: 'Send text.', code: 'binary' } : JSON.parse(text)),
  close: { ...CLOSE, moved: [1012, 'Echo elsewhere.'] },
}

class EchoSocket extends SessionSocket<{ readonly who: string }, SessionSocketPorts, EchoCommand, { type: 'ack' }> {
  readonly performed: string[] = []
  readonly release = Promise.withResolvers<void>()
  left = 0

  protected receive(command: EchoCommand): Promise<void> {
    return this.enqueue([command], async ({ word }, refusal) => {
      if (word === 'slow') await this.release.promise
      this.performed.push(refusal ?? word)
      this.sendMessage({ type: 'ack' })
    })
  }

  protected leave(): void {
    this.left += 1
  }
}

const open = ({ limiter = null as RateLimiter | null } = {}) => {
  const sent: unknown[] = []
  const closed: (readonly [number, string])[] = []
  const seen: number[] = []
  const state = { unread: 0 }
  const socket: Socket = {
    send: (messages) => sent.push(...messages.map((message) => JSON.parse(message))),
    close: (code, reason) => closed.push([code, reason]),
    buffered: () => state.unread,
    drained: async () => {},
    acknowledge: (seq) => seen.push(seq),
  }
  const clock = { now: () => 7, after: () => () => {} }
  const near = new EchoSocket({ who: 'me' }, socket, { clock, limiter }, WIRE)
  const say = (message: object) => near.onMessage(JSON.stringify(message))
  return { near, say, sent, closed, seen, state }
}

test('commands run one after the other, and the rate limit counts each when it arrives', async () => {
  const { near, say } = open({ limiter: new RateLimiter({ windowMs: 1_000, maxRequests: 2 }, () => 0) })
  const all = ['slow', 'fast', 'late'].map((word) => say({ type: 'echo', word }))
  expect(near.performed).toEqual([])
  near.release.resolve()
  await Promise.all(all)
  expect(near.performed).toEqual(['slow', 'fast', 'Too many commands; try again in 1 s.'])
})

test('pings, acknowledgements and messages that cannot be read are answered without the wire', () => {
  const { near, say, sent, seen } = open()
  say({ type: 'ping', ts: 3 })
  say({ type: 'ping' })
  say({ type: 'seen', seq: 9 })
  near.onMessage(null)
  expect(sent).toEqual([
    { type: 'pong', ts: 3 },
    { type: 'pong', ts: 7 },
    { type: 'error', message: 'Send text.', code: 'binary' },
  ])
  expect(seen).toEqual([9])
})

test.each([
  ['slow', CLOSE.slow],
  ['moved', WIRE.close.moved],
  ['removed', CLOSE.removed],
] as const)('a socket that ends as %s closes once with the words of its wire, and takes nothing more', (why, frame) => {
  const { near, say, sent, closed } = open()
  near.close(why)
  near.onSlow()
  near.onClosed()
  say({ type: 'ping' })
  expect(closed).toEqual([frame])
  expect(sent).toEqual([])
  expect(near.left).toBe(1)
})

test('a client that sends commands without reading the answers is cut', async () => {
  const { say, sent, closed, state } = open()
  state.unread = LISTENER_BYTES_MAX + 1
  await say({ type: 'echo', word: 'hi' })
  expect(sent).toEqual([])
  expect(closed).toEqual([CLOSE.slow])
})

test('a socket that hibernates keeps its connection alone', () => {
  expect(open().near.hibernate()).toEqual({ who: 'me' })
})
