// The options, events and answers of a HarnessClient.
import type { HarnessCommand, ServerMessage } from '@bridle/wire/transport/wire'
import type { Backoff, WebSocketClass } from '../socket/reconnecting-socket.ts'
import type { HarnessError } from './error.ts'
import type { NotificationSchedule } from './replica.ts'

/** Settings of a HarnessClient. */
export interface HarnessClientOptions {
  /** `ws://host/ws?userId=ann`. A function is called before each connection. */
  readonly url: string | (() => string | Promise<string>)
  /** The token of the server. The client buys a one-use ticket with it, so the token is in no URL. */
  readonly authToken?: string | undefined
  /** The tenant, where a server has several. */
  readonly tenantId?: string | undefined
  /** Replaces the platform's WebSocket. */
  readonly WebSocket?: WebSocketClass | undefined
  /** When subscribers are called: at most once per animation frame (default; where there are none, per turn), per turn, or
   * at every change. */
  readonly schedule?: NotificationSchedule
  /** Default: 250 ms after the connection broke, doubled up to 10 s. */
  readonly backoff?: Backoff
  /** Time between pings; default 15 s. A server that answered before and leaves two unanswered is gone. */
  readonly pingMs?: number
  /** A prompt without a connection is held and sent later (default), or rejected. */
  readonly outbox?: 'hold' | 'reject'
  /**
   * Where prompts without an answer are kept, so that they survive a reload of the page: the `sessionStorage` of the page (default; none where there
   * is no page), another storage, or false. `held` shows them again, and they are sent once.
   */
  readonly storage?: PromptStorage | false
}

/** A place that keeps texts, such as `sessionStorage`. */
export interface PromptStorage {
  /** The text under a key; null = there is none. */
  getItem(key: string): string | null
  /** Keeps a text. May throw when it has no room. */
  setItem(key: string, text: string): void
  /** Forgets a text. */
  removeItem(key: string): void
}

/** A new object whenever a field changes, except `lastSeq`, which is always the current one. */
export interface HarnessConnection {
  /** The phase of the connection; `closed` is final. */
  readonly phase: 'connecting' | 'open' | 'reconnecting' | 'closed'
  /** Tries since the last open connection. */
  readonly attempt: number
  /** The time of the next try, in ms since 1970; absent while a try is running. */
  readonly nextTryAt?: number | undefined
  /** The sequence number of the newest state; null when the server sends none. */
  readonly lastSeq: number | null
  /** How often a message did not fit and the client took the whole state again. */
  readonly resyncs: number
  /** The reason of the last failure. */
  readonly error?: HarnessError | undefined
}

/** A prompt that waits for a connection. The state never contains it. */
export interface HeldPrompt {
  /** The command id of the prompt. */
  readonly id: string
  /** The prompt. */
  readonly prompt: string
  /** In ms since 1970. */
  readonly since: number
  /** The connection broke after the prompt was sent, so it may have arrived. The client sends it again, which is safe. */
  readonly sent: boolean
}

/** Settings of a prompt. */
export interface SubmitOptions {
  /** The same id and prompt take effect once, however often they are sent. Default: a new one. */
  readonly commandId?: string
  /** Uploaded files, as `upload` returned them. */
  readonly attachments?: readonly {
    /** The reference of the file. */
    readonly ref_id: string
  }[]
}

/** The server's answer to a command; empty when the server does not acknowledge commands. */
export type HarnessAnswer = NonNullable<Extract<ServerMessage, { type: 'ack' }>['answer']>

/** The events of `on`, each at once and before any batching. */
export interface HarnessEvents {
  /** The whole state came. */
  readonly state: Extract<ServerMessage, { type: 'state' }>
  /** A change of the state came. */
  readonly delta: Extract<ServerMessage, { type: 'delta' }>
  /** A command or a connection failed. */
  readonly error: HarnessError
  /** The connection changed. */
  readonly connection: HarnessConnection
  /** The held prompts changed. */
  readonly held: readonly HeldPrompt[]
}

export type CommandOf<T extends HarnessCommand['type']> = Extract<HarnessCommand, { type: T }>
