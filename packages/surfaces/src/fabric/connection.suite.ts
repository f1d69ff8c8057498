// A far end for tests of the socket's protocol: it keeps what it is sent, and its clock is moved by hand.

import type { Clock } from '@bridle/kernel/ports/clock'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Session } from '@bridle/kernel/session/session'
import type { FabricClientMessage, FabricServerMessage } from '@bridle/wire/fabric/wire'
import { expect } from 'vitest'
import { SCOPES, type Scope } from '../http/access/authenticate.ts'
import type { Socket } from '../http/streams/socket-route.ts'
import type { TaskHost } from './commands.ts'
import { FabricSocket } from './connection.ts'

export interface FakeFabricSocketOptions {
  readonly since?: number | null
  readonly scopes?: readonly Scope[]
  readonly user?: string | null
  readonly host?: TaskHost
  readonly directory?: Pick<Directory, 'find'>
}

export class FakeFabricSocket {
  readonly sent: FabricServerMessage[] = []
  readonly batches: (readonly string[])[] = []
  readonly clock = manualClock()
  readonly receiver: FabricSocket
  /** The number that each batch brought the client to. */
  readonly brought: (number | undefined)[] = []
  readonly seen: number[] = []
  waiting = 0
  end: number | null = null

  constructor(
    session: Session,
    {
      since = session.state.head,
      scopes = SCOPES,
      user = null,
      host,
      directory,
    }: FakeFabricSocketOptions & { host: TaskHost },
  ) {
    const socket: Socket = {
      send: (messages, seq) => {
        this.batches.push(messages)
        this.brought.push(seq)
        this.sent.push(...messages.map((message) => JSON.parse(message) as FabricServerMessage))
      },
      close: (code) => {
        expect(this.end).toBeNull()
        this.end = code
      },
      buffered: () => this.waiting,
      drained: async () => {},
      acknowledge: (seq) => this.seen.push(seq),
    }
    const ports = { host, ...(directory && { directory }), clock: this.clock, heartbeatMs: 15, deadAfterMs: 45 }
    this.receiver = new FabricSocket({ key: session.key, scopes, user, who: '', since }, session, socket, ports)
  }

  async say(message: FabricClientMessage): Promise<void> {
    await this.receiver.onMessage(JSON.stringify(message))
  }

  types(): string[] {
    return this.sent.map((message) => (message.type === 'event' ? message.event.type : message.type))
  }

  acks(): FabricServerMessage[] {
    return this.sent.filter((message) => message.type === 'ack')
  }

  async until(type: string, times = 1): Promise<void> {
    while (this.types().filter((each) => each === type).length < times) await new Promise(setImmediate)
  }
}

/** The test advances the time; the wall clock may jump as well. */
export const manualClock = (): ManualClock => {
  let elapsed = 0
  let wall = 1_000
  const timers = new Set<{ at: number; call: () => void }>()
  return {
    now: () => wall + elapsed,
    after: (ms, call) => {
      const timer = { at: elapsed + ms, call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    pass: (ms) => {
      const until = elapsed + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
        if (!next) break
        timers.delete(next)
        elapsed = next.at
        next.call()
      }
      elapsed = until
    },
    jump: (ms) => {
      wall += ms
    },
    get elapsed() {
      return elapsed
    },
    get size() {
      return timers.size
    },
  }
}

interface ManualClock extends Clock {
  pass(ms: number): void
  jump(ms: number): void
  readonly elapsed: number
  readonly size: number
}
