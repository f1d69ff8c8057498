// The commands and events between a line and its realtime provider. Each provider has a folder that translates them to
// its API, on which no other file depends.
import type { ModelMessage, ModelTool, ModelToolChoice } from '@bridle/agents/model/model'
import type { VoiceFault, VoiceRequest } from '@bridle/kernel/ports/voice'
import type { ProviderFaults } from './faults.ts'
import type { ConnectProvider, ProviderAddress } from './provider-socket.ts'

export interface RealtimeProvider {
  /** The name in steps and traces. */
  readonly label: string
  readonly keyVariable: `${string}_API_KEY`
  readonly urlVariable: `${string}_BASE_URL`
  readonly url: string
  readonly defaultModel: string
  readonly defaultVoice: string
  /** Maps retired model names. Absent: none. */
  readonly currentModel?: (model: string) => string
  readonly address: (access: Pick<ProviderAccess, 'url' | 'key'>, model: string) => Omit<ProviderAddress, 'signal'>
  readonly api: (options: ProviderApiOptions) => ProviderApi
}

export interface ProviderAccess {
  readonly provider: RealtimeProvider
  readonly url: string
  readonly key: string
  readonly connect: ConnectProvider
}

export type LineAudio = Pick<VoiceRequest, 'format' | 'turns'> & { readonly voice: string }

export interface ProviderApiOptions {
  readonly model: string
  /** Null for text-only answers. */
  readonly audio: LineAudio | null
  readonly faults: ProviderFaults
  readonly send: (message: string) => void
}

export interface ProviderApi {
  /** Called when the socket opens. Absent if the provider speaks first. */
  greet?(): void
  /** Called after the provider reported `ready`. */
  begin(): void
  /** Decodes untrusted messages. Skips anything unreadable. */
  decode(message: string): readonly (RealtimeEvent | ReadyEvent)[]
  append(audio: Uint8Array): void
  /** Ends the speaker's turn. */
  commit(): void
  /** Discards the audio of an unfinished turn. */
  clear(): void
  /** The committed turn became a prompt, which later requests contain. */
  keepTurn(turn: string, text: string): void
  /** Removes a committed turn that did not become a prompt. */
  dropTurn(turn: string): void
  /** Requests an answer. Only one may be in progress. */
  respond(request: ResponseRequest): void
  /** Requests a sentence outside the conversation. */
  announce(notice: NoticeRequest): void
  /** Cancels a response, which may already have ended. */
  cancel(response: string): void
  /** Truncates a spoken item to what was heard. */
  cut(item: string, text: string, heardMs: number): void
}

export interface ResponseRequest {
  /** Name of the response in events. */
  readonly response: string
  readonly instructions: string
  /** The whole conversation, most of which the provider usually has. */
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice: ModelToolChoice | undefined
  readonly maxOutputTokens: number | undefined
  /** The start of an answer cut off by a lost connection, and a remark that asks for the rest. */
  readonly said?: { readonly text: string; readonly remark: string }
}

export interface NoticeRequest {
  readonly response: string
  /** A system message for later answers. */
  readonly remark: string
  readonly instructions: string
}

type EventOf<Type extends string, Fields = object> = Readonly<{ type: Type } & Fields>

export type ReadyEvent = EventOf<'ready'>

/** Milliseconds of the connection's audio. */
export type SpeakerEvent =
  | EventOf<'speech_started', { ms: number }>
  | EventOf<'speech_stopped', { ms: number | null }>
  /** `turn` is empty if the provider did not name it. */
  | EventOf<'turn_committed', { turn: string }>
  /** Empty if it could not be understood. */
  | EventOf<'turn_text', { turn: string; text: string; transcription: Transcription | null }>
  /** `request`: the response that was requested. */
  | EventOf<'fault', { fault: VoiceFault; request: string | null }>

export type ResponseEvent =
  | EventOf<'response_started', { response: string }>
  | EventOf<'item_started', { response: string; item: string }>
  /** `isSpoken`: audio follows. */
  | EventOf<'text', { response: string; item: string; text: string; isSpoken: boolean }>
  | EventOf<'audio', { response: string; item: string; audio: Uint8Array }>
  | EventOf<'audio_end', { response: string; item: string }>
  /** `input` is unvalidated JSON from the model. */
  | EventOf<'call', { response: string; id: string; name: string; input: string }>
  | EventOf<'response_end', { response: string; end: ResponseEnd; usage: ResponseUsage }>

export type RealtimeEvent = SpeakerEvent | ResponseEvent

/** `interrupted`: ended early without `cancel`. `raw`: the provider's own reason. */
export type ResponseEnd =
  | { readonly type: 'completed' | 'interrupted' | 'length' | 'content-filter'; readonly raw: string }
  | { readonly type: 'failed'; readonly fault: VoiceFault }

/** Totals include audio tokens, which cost more. */
export interface ResponseUsage {
  readonly inputTokens: {
    readonly total: number | undefined
    readonly cacheRead: number | undefined
    readonly audio: number | undefined
    readonly cachedAudio: number | undefined
  }
  readonly outputTokens: { readonly total: number | undefined; readonly audio: number | undefined }
}

export interface Transcription {
  readonly model: string
  readonly audioMs: number
}
