// What a HarnessClient takes and shows.
import type { HarnessCommand, ServerMessage } from '../../surfaces/transport/wire.ts'
import type { Backoff, WebSocketClass } from '../socket/reconnecting-socket.ts'
import type { HarnessError } from './error.ts'
import type { NotificationSchedule } from './notification-scheduler.ts'

export interface HarnessClientOptions {
  /** `ws://host/ws?userId=ann`. A function is asked before each connection. */
  readonly url: string | (() => string | Promise<string>)
  readonly authToken?: string | undefined
  readonly tenantId?: string | undefined
  /** In place of the platform's. */
  readonly WebSocket?: WebSocketClass | undefined
  /** When subscribers are told: at most once per animation frame (default; where there are none, per turn), per turn, or
   * at every change. */
  readonly schedule?: NotificationSchedule
  /** Default: 250 ms after a cut, doubled up to 10 s. */
  readonly backoff?: Backoff
  /** How often to ping; default 15 s. A server that answered before and leaves two unanswered is gone. */
  readonly pingMs?: number
  /** What becomes of a prompt while there is no connection: held and sent later (default), or rejected. */
  readonly outbox?: 'hold' | 'reject'
}

/** A new object whenever something changed, `lastSeq` apart, which is always that of now. */
export interface HarnessConnection {
  readonly phase: 'connecting' | 'open' | 'reconnecting' | 'closed'
  /** Tries since it was open last. */
  readonly attempt: number
  /** When the next try comes, in ms since 1970; absent while one is under way. */
  readonly nextTryAt?: number | undefined
  /** The sequence number of the newest state; null when the server does not count. */
  readonly lastSeq: number | null
  /** How often the server made no sense and the whole state was asked for again. */
  readonly resyncs: number
  readonly error?: HarnessError | undefined
}

/** A prompt that waits for a connection. It lives beside the state, never in it. */
export interface HeldPrompt {
  /** Its command id. */
  readonly id: string
  readonly prompt: string
  /** In ms since 1970. */
  readonly since: number
  /** It was sent on a connection that was lost before the answer, so it may have arrived. Sending it again is safe. */
  readonly sent: boolean
}

/** What the server answers to a command; empty when it answers nothing. */
export type HarnessAnswer = NonNullable<Extract<ServerMessage, { type: 'ack' }>['answer']>

/** What `on` tells, as it happens and before any batching. */
export interface HarnessEvents {
  readonly state: Extract<ServerMessage, { type: 'state' }>
  readonly delta: Extract<ServerMessage, { type: 'delta' }>
  readonly error: HarnessError
  readonly connection: HarnessConnection
  readonly held: readonly HeldPrompt[]
}

export type CommandOf<T extends HarnessCommand['type']> = Extract<HarnessCommand, { type: T }>
