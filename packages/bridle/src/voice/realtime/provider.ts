// The vocabulary between a line and its realtime provider: commands and events. Each provider has a folder that translates them to its own API.
// No other file depends on that API.
import type { ModelMessage, ModelTool, ModelToolChoice } from '../../agents/model/model.ts'
import type { VoiceFault, VoiceRequest } from '../../kernel/ports/voice.ts'
import type { ProviderFaults } from './faults.ts'
import type { ConnectProvider, ProviderAddress } from './provider-socket.ts'

/** A row of the table of providers. */
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

/** The connection can be used. */
export interface ReadyEvent {
  readonly type: 'ready'
}

export type RealtimeEvent = SpeakerEvent | ResponseEvent

/** Milliseconds count the audio of the connection. */
export type SpeakerEvent =
  | { readonly type: 'speech_started'; readonly ms: number }
  | { readonly type: 'speech_stopped'; readonly ms: number | null }
  /** Empty: the provider did not name the turn. */
  | { readonly type: 'turn_committed'; readonly turn: string }
  /** Empty text: the provider could not understand it. */
  | {
      readonly type: 'turn_text'
      readonly turn: string
      readonly text: string
      readonly transcription: Transcription | null
    }
  /** `request`: the response that was asked for in vain. */
  | { readonly type: 'fault'; readonly fault: VoiceFault; readonly request: string | null }

export type ResponseEvent =
  | { readonly type: 'response_started'; readonly response: string }
  | { readonly type: 'item_started'; readonly response: string; readonly item: string }
  | {
      readonly type: 'text'
      readonly response: string
      readonly item: string
      readonly text: string
      /** Audio of the text follows. */
      readonly isSpoken: boolean
    }
  | { readonly type: 'audio'; readonly response: string; readonly item: string; readonly audio: Uint8Array }
  | { readonly type: 'audio_end'; readonly response: string; readonly item: string }
  | ToolCallEvent
  | {
      readonly type: 'response_end'
      readonly response: string
      readonly end: ResponseEnd
      readonly usage: ResponseUsage
    }

export interface ToolCallEvent {
  readonly type: 'call'
  readonly response: string
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly input: string
}

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
