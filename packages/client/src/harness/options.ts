import type { HarnessCommand, ServerMessage } from '@bridle/wire/transport/wire'
import type { Backoff, WebSocketClass } from '../socket/reconnecting-socket.ts'
import type { HarnessError } from './error.ts'
import type { NotificationSchedule } from './replica.ts'

/** Options of a HarnessClient. */
export interface HarnessClientOptions {
  /** `ws://host/ws?userId=ann`. A function is called before every connection. */
  readonly url: string | (() => string | Promise<string>)
  /** The server's token. Exchanged for a single-use ticket per connection, so that no URL contains it. */
  readonly authToken?: string | undefined
  /** The tenant, on a server with several. */
  readonly tenantId?: string | undefined
  /** Replaces the platform's WebSocket. */
  readonly WebSocket?: WebSocketClass | undefined
  /** `frame` (default): once per animation frame, or per turn outside pages. `micro`: once per turn. `sync`: on every change. */
  readonly schedule?: NotificationSchedule
  /** Exponential backoff. Default: 250 ms, doubled up to 10 s. */
  readonly backoff?: Backoff
  /** Interval of pings. Default: 15 s. Reconnects after two unanswered pings if the server answered before. */
  readonly pingMs?: number
  /** Whether prompts submitted while disconnected are held and sent later (default) or rejected. */
  readonly outbox?: 'hold' | 'reject'
  /**
   * Where unanswered prompts survive a page reload: the page's `sessionStorage` (default, none outside pages), another
   * storage, or false. After a reload they appear in `held` and are sent once.
   */
  readonly storage?: PromptStorage | false
}

/** A key-value store such as `sessionStorage`. */
export interface PromptStorage {
  /** Returns the text of a key, or null. */
  getItem(key: string): string | null
  /** Stores a text. May throw when full. */
  setItem(key: string, text: string): void
  /** Removes a key. */
  removeItem(key: string): void
}

/** A new object on every change, except of `lastSeq`, which is always current. */
export interface HarnessConnection {
  /** The connection phase. `closed` is final. */
  readonly phase: 'connecting' | 'open' | 'reconnecting' | 'closed'
  /** Attempts since the last open connection. */
  readonly attempt: number
  /** Time of the next attempt, in ms since 1970. Absent during an attempt. */
  readonly nextTryAt?: number | undefined
  /** Sequence number of the newest state. Null if the server sends none. */
  readonly lastSeq: number | null
  /** How often the client had to request the complete state. */
  readonly resyncs: number
  /** The last failure. */
  readonly error?: HarnessError | undefined
}

/** A prompt held until connected. Not part of the state. */
export interface HeldPrompt {
  /** The command id of the prompt. */
  readonly id: string
  /** The prompt. */
  readonly prompt: string
  /** In ms since 1970. */
  readonly since: number
  /** Already sent when the connection broke, so it may have arrived. Resending it is safe. */
  readonly sent: boolean
}

/** Options of a prompt. */
export interface SubmitOptions {
  /** Idempotency key of the prompt. Default: a new one. */
  readonly commandId?: string
  /** Results of `upload`. */
  readonly attachments?: readonly {
    /** The file reference. */
    readonly ref_id: string
  }[]
  /** The model of this turn, for an agent of an engine: one of its `model_choices` in `GET /agents`. */
  readonly model?: string
  /** How much the model thinks in this turn: one of the agent's `efforts`. */
  readonly effort?: string
}

/** The server's answer to a command. Empty if the server does not acknowledge commands. */
export type HarnessAnswer = NonNullable<Extract<ServerMessage, { type: 'ack' }>['answer']>

/** The events of `on`, emitted immediately and unbatched. */
export interface HarnessEvents {
  /** A complete state arrived. */
  readonly state: Extract<ServerMessage, { type: 'state' }>
  /** A delta arrived. */
  readonly delta: Extract<ServerMessage, { type: 'delta' }>
  /** A command or a connection failed. */
  readonly error: HarnessError
  /** The connection changed. */
  readonly connection: HarnessConnection
  /** The held prompts changed. */
  readonly held: readonly HeldPrompt[]
}

export type CommandOf<T extends HarnessCommand['type']> = Extract<HarnessCommand, { type: T }>
