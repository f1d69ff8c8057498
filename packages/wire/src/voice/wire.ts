// The voice wire: JSON text, and audio as binary frames or as base64 in JSON. docs/protocol/voice.md has its rules.
import type { Json, JsonObject } from '@bridle/events/json'
import type { AudioFormat } from '@bridle/kernel/ports/voice'

/** The tokens and the cost of a run, as far as the engine has reported them. */
export interface VoiceUsage {
  /** Tokens that the model has read. */
  readonly inputTokens: number
  /** Tokens that the model has written. */
  readonly outputTokens: number
  /** The cost in US dollars; null = nobody has named one. */
  readonly costUsd: number | null
}

/** The first message of an open line. */
export interface VoiceSessionOpen {
  /** The type of the message. */
  readonly type: 'session_open'
  /** The id of the session. */
  readonly sessionId: string
  /** The name of the session's agent. */
  readonly agent: string
  /** The id of the line: a client that reconnects with it as `?line=` replaces its own older socket. */
  readonly line: string
  /** `realtime`: the model hears and speaks. `cascade`: speech becomes text before the agent reads it, and its text becomes speech. */
  readonly mode: 'realtime' | 'cascade'
  /** The model that speaks. */
  readonly model: string
  /** The name of the voice that speaks. */
  readonly voice: string
  /** The format of the audio, both ways. */
  readonly audioFormat: AudioFormat
  /** Samples a second, of one channel. */
  readonly sampleRate: number
  /** `manual`: the client says where a turn ends. `silence`: a pause of the speaker ends it. */
  readonly turns: 'manual' | 'silence'
  /** The position in the log: captions of later events follow. */
  readonly cursor: string
}

/** A text that was said, as the log has it. It replaces the joined `text_delta` of its run; further deltas follow it. */
export interface VoiceTranscript {
  /** The type of the message. */
  readonly type: 'transcript'
  /** The speaker. */
  readonly role: 'user' | 'assistant'
  /** The text. */
  readonly text: string
  /** The run that the text belongs to. */
  readonly runId: string
  /** The id of the message in the conversation. */
  readonly messageId: string
  /** The answer was interrupted: the text is the part that was heard. */
  readonly interrupted?: true
}

/** A tool call of the agent. The server runs it. */
export interface VoiceToolCall {
  /** The type of the message. */
  readonly type: 'tool_call'
  /** The id of the call. */
  readonly id: string
  /** The name of the tool. */
  readonly name: string
  /** The arguments. */
  readonly input: JsonObject
  /** The run of the call. */
  readonly runId: string
  /** The call waits for a person: decide about it on any wire. The message repeats the `tool_call` of the same id. */
  readonly approval?: { readonly id: string; readonly reason: string }
}

/** The agent has finished its answer. Audio of it may still follow, or be playing. */
export interface VoiceResponseEnd {
  /** The type of the message. */
  readonly type: 'response_done'
  /** The run of the answer. */
  readonly runId: string
  /** `interrupted`: somebody spoke, or cancelled; stop playing. An answer may be interrupted after it was `completed`. */
  readonly status: 'completed' | 'interrupted' | 'failed'
  /** The position in the log. A client that reconnects passes the newest one that it has as `?after=`. */
  readonly cursor: string
  /** The reason of a failure. */
  readonly message?: string
  /** The tokens and the cost of the run. */
  readonly usage?: VoiceUsage
}

/** A fault. The line stays open, unless a close follows. */
export interface VoiceError {
  /** The type of the message. */
  readonly type: 'error'
  /** The code, such as `bad_message`, `line_busy` or `provider_key`. */
  readonly code: string
  /** A sentence that says what to do. */
  readonly message: string
}

/** A message from the server. */
export type VoiceServerMessage =
  | VoiceSessionOpen
  /** Audio of an answer. Without `audio`: the binary frames that follow belong to this item. */
  | { readonly type: 'audio_delta'; readonly item: string; readonly audio?: string }
  /** The item was interrupted: play nothing more of it, and answer with `played` and `stopped`. */
  | { readonly type: 'audio_stop'; readonly item: string }
  /** A piece of the answer's text. */
  | { readonly type: 'text_delta'; readonly role: 'assistant'; readonly delta: string; readonly runId: string }
  | VoiceTranscript
  | VoiceToolCall
  /** The speaker began to speak, or paused. */
  | { readonly type: 'speech'; readonly state: 'started' | 'stopped' }
  | VoiceResponseEnd
  | VoiceError
  | { readonly type: 'pong'; readonly ts: number }

/** A message from a client. A binary frame is audio. */
export type VoiceClientMessage =
  /** Audio as base64. `end`: the turn of the speaker ends here, where the client says so itself. */
  | { readonly type: 'audio'; readonly audio?: string | undefined; readonly end?: boolean | undefined }
  /** A text instead of speech; it is answered aloud. */
  | { readonly type: 'text'; readonly text: string }
  /** Stops the answer. The log keeps the part that was heard. */
  | { readonly type: 'cancel_response' }
  /** The outcome of a directive that the client has executed. */
  | { readonly type: 'tool_result'; readonly id: string; readonly output?: Json | undefined }
  /** The client has played so many milliseconds of an item. `stopped`: it plays no more of it. */
  | { readonly type: 'played'; readonly item: string; readonly ms: number; readonly stopped?: boolean }
  | { readonly type: 'ping'; readonly ts?: number | undefined }
