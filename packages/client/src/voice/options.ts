// The options, the events and the handle of `connectFabricVoice`.
import type { VoiceClientMessage, VoiceServerMessage, VoiceSessionOpen } from '@bridle/wire/voice/wire'
import type { FabricWsOptions } from '../fabric/socket-options.ts'

/** Settings of `connectFabricVoice`. */
export interface FabricVoiceOptions
  extends Pick<FabricWsOptions, 'authToken' | 'tenantId' | 'reconnect' | 'heartbeatMs' | 'WebSocket'> {
  /** `ws://host/sessions/<id>/voice`. A session that does not exist is made. */
  readonly url: string
  /** The agent of a session that does not exist yet, or of one whose id several agents have. */
  readonly agent?: string | undefined
  /** The voice that answers; default: the provider's. */
  readonly voice?: string | undefined
  /** The model that speaks; default: the server's. */
  readonly model?: string | undefined
  /** The audio, both ways; default `pcm16`, with 24,000 samples a second. */
  readonly audioFormat?: VoiceSessionOpen['audioFormat'] | undefined
  /** Added to the instructions of the agent, where the server allows that. */
  readonly instructions?: string | undefined
  /** Default `silence`: a pause of the speaker ends a turn. With `manual` the program calls `endTurn`. */
  readonly turns?: VoiceSessionOpen['turns'] | undefined
  /** The id of the line; default: a random one. A client with the id of an open line replaces its connection. */
  readonly line?: string | undefined
  /** Default `binary`. `json` sends audio as base64, for networks that pass on no binary frames. */
  readonly encoding?: 'binary' | 'json' | undefined
  /** Gets each event, as `events` does. */
  readonly onEvent?: (event: FabricVoiceEvent) => void
}

/** An event of a line: a message of the server, with audio as bytes in both encodings, or news of the connection. */
export type FabricVoiceEvent =
  | Exclude<VoiceServerMessage, { readonly type: 'audio_delta' | 'session_open' | 'pong' }>
  | FabricVoiceAudio
  | FabricVoiceOpen
  | FabricVoiceRetry
  | FabricVoiceEnd

/** A piece of the answer's audio. */
export interface FabricVoiceAudio {
  /** The type of the event. */
  readonly type: 'audio_delta'
  /** The spoken text that the audio belongs to: `played` names it. */
  readonly item: string
  /** The bytes, in the format of the line. */
  readonly audio: Uint8Array
}

/** The line is open, for the first time or again. */
export interface FabricVoiceOpen extends VoiceSessionOpen {
  /** True after a broken connection: the conversation goes on. */
  readonly isReconnect: boolean
}

/** The connection broke. The next try follows. */
export interface FabricVoiceRetry {
  /** The type of the event. */
  readonly type: 'reconnecting'
  /** The time until the next try. */
  readonly waitMs: number
  /** Tries since the last open connection. */
  readonly tries: number
}

/** The end: `close` was called, or the server refuses. No event follows. */
export interface FabricVoiceEnd {
  /** The type of the event. */
  readonly type: 'closed'
  /** The close code of the WebSocket; 1000 = `close` was called. */
  readonly code: number
  /** The reason, as a sentence where there is one. */
  readonly reason: string
}

/** The result of a call: its id, and the output as JSON. */
export type FabricVoiceToolResult = Pick<Extract<VoiceClientMessage, { readonly type: 'tool_result' }>, 'id' | 'output'>

/** A line to one session, as `connectFabricVoice` opens it. */
export interface FabricVoiceHandle {
  /** `open` from the first `session_open` on; `connecting` also between two connections. */
  readonly state: 'connecting' | 'open' | 'closed'
  /** The id of the line. A reconnect has the same id and so replaces the older connection. */
  readonly line: string
  /**
   * Audio of the speaker, in the format of the line, at the pace at which it is spoken. Before the first connection a few seconds
   * of it wait; during a reconnect it is dropped.
   */
  sendAudio(audio: ArrayBuffer | ArrayBufferView): void
  /** Ends a turn of a line whose turns are `manual`. */
  endTurn(): void
  /** A text instead of speech. The answer is spoken. */
  sendText(text: string): void
  /** The result of a call that the program carries out. */
  submitToolResult(result: FabricVoiceToolResult): void
  /** Stops the answer. The conversation keeps the part that was heard. */
  cancelResponse(): void
  /** The same as `cancelResponse`. */
  cancel(): void
  /**
   * Reports how much of an item the listener has heard. Without reports the server counts in real time. `isStopped`: nothing more of
   * it is played, as `audio_stop` asks.
   */
  played(item: string, ms: number, isStopped?: boolean): void
  /** The events from now on, until the line is closed. */
  events(): AsyncGenerator<FabricVoiceEvent, void, undefined>
  /** Closes the line for good. */
  close(): void
}
