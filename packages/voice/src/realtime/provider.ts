// The vocabulary between a line and its realtime provider: commands and events. Each provider has a folder that translates them to its own API.
// No other file depends on that API.
import type { ModelMessage, ModelTool, ModelToolChoice } from '@bridle/agents/model/model'
import type { VoiceFault, VoiceRequest } from '@bridle/kernel/ports/voice'
import type { ProviderFaults } from './faults.ts'
import type { ConnectProvider, ProviderAddress } from './provider-socket.ts'

export interface RealtimeProvider {
  /** The provider of its models, as steps and traces name it. */
  readonly label: string
  /** The variables with the key of the operator and another address of the API. */
  readonly keyVariable: `${string}_API_KEY`
  readonly urlVariable: `${string}_BASE_URL`
  readonly url: string
  readonly defaultModel: string
  readonly defaultVoice: string
  /** The current name of a model. Absent: names do not change. */
  readonly currentModel?: (model: string) => string
  readonly address: (access: Pick<ProviderAccess, 'url' | 'key'>, model: string) => Omit<ProviderAddress, 'signal'>
  /** The API on one connection. */
  readonly api: (options: ProviderApiOptions) => ProviderApi
}

/** A provider with the key of the operator. */
export interface ProviderAccess {
  readonly provider: RealtimeProvider
  readonly url: string
  readonly key: string
  readonly connect: ConnectProvider
}

/** The audio of a line, both ways. */
export type LineAudio = Pick<VoiceRequest, 'format' | 'turns'> & { readonly voice: string }

export interface ProviderApiOptions {
  readonly model: string
  /** Null: answers are text only. */
  readonly audio: LineAudio | null
  readonly faults: ProviderFaults
  readonly send: (message: string) => void
}

export interface ProviderApi {
  /** The socket is open. Absent: the provider speaks first. */
  greet?(): void
  /** The provider has reported `ready`. */
  begin(): void
  /** The events in a message of the provider. It may be anything: fields are checked, and what cannot be read is skipped. */
  decode(message: string): readonly (RealtimeEvent | ReadyEvent)[]
  /** Audio of the speaker. */
  append(audio: Uint8Array): void
  /** The turn of the speaker is over. */
  commit(): void
  /** Drops the audio of a turn that is not over. */
  clear(): void
  /** The text of a committed turn becomes a prompt, which later requests contain. */
  keepTurn(turn: string, text: string): void
  /** Removes a committed turn that becomes no prompt. */
  dropTurn(turn: string): void
  /** Asks for an answer. One is in progress at a time. */
  respond(request: ResponseRequest): void
  /** Asks for a sentence that stays out of the conversation. */
  announce(notice: NoticeRequest): void
  /** Ends a response, which may have ended already. */
  cancel(response: string): void
  /** The listener has heard only this text of a spoken item. */
  cut(item: string, text: string, heardMs: number): void
}

export interface ResponseRequest {
  /** Events of the response have this name. */
  readonly response: string
  readonly instructions: string
  /** The whole conversation. The provider may still have most of it. */
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice: ModelToolChoice | undefined
  readonly maxOutputTokens: number | undefined
  /** The beginning of the answer, from a connection that broke, and a remark that asks for the rest. */
  readonly said?: { readonly text: string; readonly remark: string }
}

export interface NoticeRequest {
  readonly response: string
  /** A system message for the next answers. */
  readonly remark: string
  readonly instructions: string
}

type EventOf<Type extends string, Fields = object> = Readonly<{ type: Type } & Fields>

/** The connection can be used. */
export type ReadyEvent = EventOf<'ready'>

/** Milliseconds count the audio of the connection. */
export type SpeakerEvent =
  | EventOf<'speech_started', { ms: number }>
  | EventOf<'speech_stopped', { ms: number | null }>
  /** Empty `turn`: the provider did not name the turn. */
  | EventOf<'turn_committed', { turn: string }>
  /** Empty text: the provider could not understand it. */
  | EventOf<'turn_text', { turn: string; text: string; transcription: Transcription | null }>
  /** `request`: the response that was asked for in vain. */
  | EventOf<'fault', { fault: VoiceFault; request: string | null }>

export type ResponseEvent =
  | EventOf<'response_started', { response: string }>
  | EventOf<'item_started', { response: string; item: string }>
  /** `isSpoken`: audio of the text follows. */
  | EventOf<'text', { response: string; item: string; text: string; isSpoken: boolean }>
  | EventOf<'audio', { response: string; item: string; audio: Uint8Array }>
  | EventOf<'audio_end', { response: string; item: string }>
  /** `input`: JSON, as the model wrote it. */
  | EventOf<'call', { response: string; id: string; name: string; input: string }>
  | EventOf<'response_end', { response: string; end: ResponseEnd; usage: ResponseUsage }>

export type RealtimeEvent = SpeakerEvent | ResponseEvent

/** `interrupted`: ended early without `cancel`. `raw`: the reason in the provider's words. */
export type ResponseEnd =
  | { readonly type: 'completed' | 'interrupted' | 'length' | 'content-filter'; readonly raw: string }
  | { readonly type: 'failed'; readonly fault: VoiceFault }

/** Tokens of a response. The totals include audio, which costs more. */
export interface ResponseUsage {
  readonly inputTokens: {
    readonly total: number | undefined
    readonly cacheRead: number | undefined
    readonly audio: number | undefined
    readonly cachedAudio: number | undefined
  }
  readonly outputTokens: { readonly total: number | undefined; readonly audio: number | undefined }
}

/** The work of the model that wrote down a turn. */
export interface Transcription {
  readonly model: string
  readonly audioMs: number
}
