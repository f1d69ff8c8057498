// JSON text, plus audio as binary frames or base64. Rules: docs/protocol/voice.md.
import type { Json, JsonObject } from '@bridle/events/json'
import type { AudioFormat } from '@bridle/kernel/ports/voice'

/** Token usage and cost of a run, as reported by the engine so far. */
export interface VoiceUsage {
  /** Input tokens. */
  readonly inputTokens: number
  /** Output tokens. */
  readonly outputTokens: number
  /** Cost in US dollars. Null: not reported. */
  readonly costUsd: number | null
}

/** First message on an open line. */
export interface VoiceSessionOpen {
  /** Message type. */
  readonly type: 'session_open'
  /** Session id. */
  readonly sessionId: string
  /** Name of the session's agent. */
  readonly agent: string
  /** Line id. A client that reconnects with it as `?line=` replaces its own older socket. */
  readonly line: string
  /** `realtime`: the model hears and speaks. `cascade`: speech is transcribed for the agent, and its text is synthesized. */
  readonly mode: 'realtime' | 'cascade'
  /** Speech model. */
  readonly model: string
  /** Voice name. */
  readonly voice: string
  /** Audio format in both directions. */
  readonly audioFormat: AudioFormat
  /** Samples per second, mono. */
  readonly sampleRate: number
  /** How a turn ends. `manual`: the client ends it. `silence`: a pause of the speaker ends it. */
  readonly turns: 'manual' | 'silence'
  /** Position in the log. Captions of later events follow. */
  readonly cursor: string
}

/** Final text as logged. It replaces the run's `text_delta` messages so far; later deltas are appended. */
export interface VoiceTranscript {
  /** Message type. */
  readonly type: 'transcript'
  /** Speaker. */
  readonly role: 'user' | 'assistant'
  /** Text. */
  readonly text: string
  /** Run that produced the text. */
  readonly runId: string
  /** Id of the message in the conversation. */
  readonly messageId: string
  /** The answer was interrupted, and the text is the part that was heard. */
  readonly interrupted?: true
}

/** A tool call of the agent. The server runs it. */
export interface VoiceToolCall {
  /** Message type. */
  readonly type: 'tool_call'
  /** Call id. */
  readonly id: string
  /** Tool name. */
  readonly name: string
  /** Arguments. */
  readonly input: JsonObject
  /** Run that made the call. */
  readonly runId: string
  /** The call is waiting for approval, on any wire. The message repeats the `tool_call` with the same id. */
  readonly approval?: { readonly id: string; readonly reason: string }
}

/** The agent has finished its answer. Its audio may still arrive or play. */
export interface VoiceResponseEnd {
  /** Message type. */
  readonly type: 'response_done'
  /** Run that answered. */
  readonly runId: string
  /** `interrupted`: the user spoke or cancelled; stop playing. An answer may be interrupted after it was `completed`. */
  readonly status: 'completed' | 'interrupted' | 'failed'
  /** Position in the log. A reconnecting client passes its newest one as `?after=`. */
  readonly cursor: string
  /** Reason of a failure. */
  readonly message?: string
  /** Token usage and cost of the run. */
  readonly usage?: VoiceUsage
}

/** A fault. The line stays open unless it closes next. */
export interface VoiceError {
  /** Message type. */
  readonly type: 'error'
  /** Code, such as `bad_message`, `line_busy` or `provider_key`. */
  readonly code: string
  /** A sentence that says what to do. */
  readonly message: string
}

/** A message from the server. */
export type VoiceServerMessage =
  | VoiceSessionOpen
  /** Audio of an answer. Without `audio`, the binary frames that follow belong to this item. */
  | { readonly type: 'audio_delta'; readonly item: string; readonly audio?: string }
  /** The item was interrupted: stop playing it, and reply with `played` and `stopped`. */
  | { readonly type: 'audio_stop'; readonly item: string }
  /** A piece of the answer's text. */
  | { readonly type: 'text_delta'; readonly role: 'assistant'; readonly delta: string; readonly runId: string }
  | VoiceTranscript
  | VoiceToolCall
  /** The speaker started or paused. */
  | { readonly type: 'speech'; readonly state: 'started' | 'stopped' }
  | VoiceResponseEnd
  | VoiceError
  | { readonly type: 'pong'; readonly ts: number }

/** A message from a client. Binary frames are audio. */
export type VoiceClientMessage =
  /** Base64 audio. `end` ends the speaker's turn, if turns are `manual`. */
  | { readonly type: 'audio'; readonly audio?: string | undefined; readonly end?: boolean | undefined }
  /** Text instead of speech. The answer is spoken. */
  | { readonly type: 'text'; readonly text: string }
  /** Stops the answer. The log keeps the part that was heard. */
  | { readonly type: 'cancel_response' }
  /** Result of a directive that the client executed. */
  | { readonly type: 'tool_result'; readonly id: string; readonly output?: Json | undefined }
  /** How much of an item the client has played. `stopped`: it will play no more of it. */
  | { readonly type: 'played'; readonly item: string; readonly ms: number; readonly stopped?: boolean }
  | { readonly type: 'ping'; readonly ts?: number | undefined }
