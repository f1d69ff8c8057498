// The voice of a session: a client talks, and the agent's answers are spoken. A line is the conversation of one client with one
// session. Whatever is said on it becomes prompts and answers of the session, so that the log has it like anything written.
import type { SessionOptions } from '../commands.ts'
import type { Key } from '../event.ts'
import type { Session } from '../session/session.ts'

/** The audio of a line, both ways. All are mono; `pcm16` has 24,000 samples a second, little-endian, and the others have 8,000. */
export const AUDIO_FORMATS = ['pcm16', 'g711_ulaw', 'g711_alaw'] as const
export type AudioFormat = (typeof AUDIO_FORMATS)[number]

/** Bytes of a millisecond of audio. */
export const AUDIO_BYTES_PER_MS: { readonly [F in AudioFormat]: number } = { pcm16: 48, g711_ulaw: 8, g711_alaw: 8 }

/** The wishes of a client for its line. */
export interface VoiceRequest {
  readonly key: Key
  readonly session: Session
  readonly format: AudioFormat
  /** Absent = the provider's default. */
  readonly voice?: string
  readonly model?: string
  /** Added to the instructions of the agent. */
  readonly instructions?: string
  /** `manual`: the client says where a turn ends. `silence`: a pause of the speaker ends it. */
  readonly turns: 'manual' | 'silence'
  /** The person who speaks: the actor of the prompts. Null = the credential names nobody. */
  readonly user: string | null
  /** The settings and the owner of the session that the first prompt may create. */
  readonly opening?: SessionOptions
  readonly owner?: string
  /** The client's own name for its line: a line that it reopens under this name replaces its older one. Absent = the older one stays. */
  readonly line?: string
  /** The client's socket slept while its line was open: the provider is connected with the next audio or text. */
  readonly isResumed?: true
}

/** The client's end of a line. */
export interface VoiceClient {
  /** A piece of the answer's audio. `item` names the spoken text that it belongs to. */
  audio(item: string, bytes: Uint8Array): void
  /** The speaker began to speak, or paused. */
  speech(state: 'started' | 'stopped'): void
  /** The answer was interrupted: the client plays nothing more of the item, and reports how much it has played. */
  interrupted(item: string): void
  /** A fault. The line is still open unless `isFinal`. */
  fault(fault: VoiceFault, isFinal: boolean): void
}

export interface VoiceFault {
  /** Such as `provider_key`, `provider_model`, `provider_lost`, `speech_not_understood`, `line_busy`, `line_replaced`. */
  readonly code: string
  /** A sentence that says what to do. */
  readonly message: string
}

/** The server's end of a line. */
export interface VoiceLine {
  /** The model that speaks, or the address that does. */
  readonly model: string
  readonly voice: string
  /** `realtime`: the model hears and speaks. `cascade`: speech becomes text before the agent reads it, and its text becomes speech. */
  readonly kind: 'realtime' | 'cascade'
  /** Audio of the client. Resolves when the line can take more; nothing to wait for = undefined. */
  hear(audio: Uint8Array): Promise<void> | undefined
  /** The turn of a client that says itself where its turns end. */
  endTurn(): void
  /** A text instead of speech. Resolves when it is in the log. */
  say(text: string): Promise<void>
  /** Stops the answer. The log keeps the part that was heard. */
  interrupt(): Promise<void>
  /** The client has played so much of an item. `isStopped`: it plays no more of it, as `interrupted` asks. */
  played(item: string, ms: number, isStopped?: boolean): void
  close(): void
}

/** Opens lines. A session has one at most. */
export interface VoiceLines {
  /** The kind of line that a session of the agent would get now; null = none. */
  kindOf?(agent: string): VoiceLine['kind'] | null
  /** Resolves to a fault where the agent, the server or the provider cannot. */
  open(request: VoiceRequest, client: VoiceClient): Promise<VoiceLine | VoiceFault>
}

export const isVoiceFault = (opened: VoiceLine | VoiceFault): opened is VoiceFault => 'code' in opened
