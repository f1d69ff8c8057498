import type { VoiceClientMessage, VoiceServerMessage, VoiceSessionOpen } from '@bridle/wire/voice/wire'
import type { FabricWsOptions } from '../fabric/socket-options.ts'

/** Options of `connectFabricVoice`. */
export interface FabricVoiceOptions
  extends Pick<FabricWsOptions, 'authToken' | 'tenantId' | 'reconnect' | 'heartbeatMs' | 'WebSocket'> {
  /** `ws://host/sessions/<id>/voice`. Creates the session if it does not exist. */
  readonly url: string
  /** The agent of a new session, or the agent to choose if several have a session with this id. */
  readonly agent?: string | undefined
  /** Voice of the answers. Default: the provider's. */
  readonly voice?: string | undefined
  /** Realtime model. Default: the server's. */
  readonly model?: string | undefined
  /** Audio format in both directions. Default: `pcm16` at 24 kHz. */
  readonly audioFormat?: VoiceSessionOpen['audioFormat'] | undefined
  /** Appended to the agent's instructions, if the server allows it. */
  readonly instructions?: string | undefined
  /** `silence` (default): a pause ends a turn. `manual`: call `endTurn`. */
  readonly turns?: VoiceSessionOpen['turns'] | undefined
  /** The line id. Default: random. A client with the id of an open line replaces its connection. */
  readonly line?: string | undefined
  /** `binary` (default), or `json` for base64 on networks that block binary frames. */
  readonly encoding?: 'binary' | 'json' | undefined
  /** Called for each event, like `events`. */
  readonly onEvent?: (event: FabricVoiceEvent) => void
}

/** A server message, with audio as bytes in both encodings, or a connection event. */
export type FabricVoiceEvent =
  | Exclude<VoiceServerMessage, { readonly type: 'audio_delta' | 'session_open' | 'pong' }>
  | FabricVoiceAudio
  | FabricVoiceOpen
  | FabricVoiceRetry
  | FabricVoiceEnd

/** A chunk of the answer's audio. */
export interface FabricVoiceAudio {
  /** The event type. */
  readonly type: 'audio_delta'
  /** The spoken text of this audio, for `played`. */
  readonly item: string
  /** Bytes in the line's format. */
  readonly audio: Uint8Array
}

/** The line is open, initially or after a reconnect. */
export interface FabricVoiceOpen extends VoiceSessionOpen {
  /** True after a disconnect. The conversation continues. */
  readonly isReconnect: boolean
}

/** The connection broke. A retry follows. */
export interface FabricVoiceRetry {
  /** The event type. */
  readonly type: 'reconnecting'
  /** Delay before the retry. */
  readonly waitMs: number
  /** Attempts since the last open connection. */
  readonly tries: number
}

/** The last event: `close` was called or the server refuses. */
export interface FabricVoiceEnd {
  /** The event type. */
  readonly type: 'closed'
  /** The WebSocket close code. 1000: `close` was called. */
  readonly code: number
  /** The reason, as a sentence if available. */
  readonly reason: string
}

/** The result of a tool call, with the output as JSON. */
export type FabricVoiceToolResult = Pick<Extract<VoiceClientMessage, { readonly type: 'tool_result' }>, 'id' | 'output'>

/** A line opened by `connectFabricVoice`. */
export interface FabricVoiceHandle {
  /** `open` from the first `session_open`. `connecting` also between connections. */
  readonly state: 'connecting' | 'open' | 'closed'
  /** The line id. A reconnect reuses it and replaces the older connection. */
  readonly line: string
  /** Sends audio in the line's format, in real time. Buffered briefly before the first connection, dropped during reconnects. */
  sendAudio(audio: ArrayBuffer | ArrayBufferView): void
  /** Ends a turn if `turns` is `manual`. */
  endTurn(): void
  /** Sends text instead of speech. The answer is spoken. */
  sendText(text: string): void
  /** Sends the result of a call that this program executed. */
  submitToolResult(result: FabricVoiceToolResult): void
  /** Stops the answer. The conversation keeps the part that was heard. */
  cancelResponse(): void
  /** Same as `cancelResponse`. */
  cancel(): void
  /**
   * Reports how much of an item was heard. Otherwise the server assumes real time. `isStopped`: stopped, as `audio_stop`
   * asks.
   */
  played(item: string, ms: number, isStopped?: boolean): void
  /** Iterates over events from now on, until the line closes. */
  events(): AsyncGenerator<FabricVoiceEvent, void, undefined>
  /** Closes the line without reconnecting. */
  close(): void
}
