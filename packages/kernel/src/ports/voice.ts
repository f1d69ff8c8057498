// A line is the voice conversation of one client with one session. Everything said becomes prompts and answers in the log.
import type { SessionOptions } from '../commands.ts'
import type { Key } from '../event.ts'
import type { Session } from '../session/session.ts'

/** Mono in both directions. `pcm16` is little-endian at 24 kHz, the others are 8 kHz. */
export type AudioFormat = 'pcm16' | 'g711_ulaw' | 'g711_alaw'

export const AUDIO_BYTES_PER_MS: { readonly [F in AudioFormat]: number } = { pcm16: 48, g711_ulaw: 8, g711_alaw: 8 }

export interface VoiceRequest {
  readonly key: Key
  readonly session: Session
  readonly format: AudioFormat
  readonly voice?: string
  readonly model?: string
  /** Appended to the agent's instructions. */
  readonly instructions?: string
  /** `manual`: the client ends turns. `silence`: a pause of the speaker does. */
  readonly turns: 'manual' | 'silence'
  /** The actor of the prompts. Null if the credential names no user. */
  readonly user: string | null
  /** Apply if the first prompt creates the session. */
  readonly opening?: SessionOptions
  readonly owner?: string
  /** Chosen by the client. Reopening a line under the same name replaces the old one. */
  readonly line?: string
  /** The client's socket hibernated while the line was open. The provider is connected on the next audio or text. */
  readonly isResumed?: true
}

export interface VoiceClient {
  /** Audio of an answer. `item` identifies the spoken text. */
  audio(item: string, bytes: Uint8Array): void
  speech(state: 'started' | 'stopped'): void
  /** The client must stop playing the item and report how much it played. */
  interrupted(item: string): void
  /** The line stays open unless `isFinal`. */
  fault(fault: VoiceFault, isFinal: boolean): void
}

export interface VoiceFault {
  /** For example `provider_key`, `provider_model`, `provider_lost`, `speech_not_understood`, `line_busy`, `line_replaced`. */
  readonly code: string
  /** Says what to do. */
  readonly message: string
}

export interface VoiceLine {
  readonly model: string
  readonly voice: string
  /** `realtime`: the model hears and speaks. `cascade`: speech to text, agent, text to speech. */
  readonly kind: 'realtime' | 'cascade'
  /** Resolves when the line can take more audio; undefined if it can now. */
  hear(audio: Uint8Array): Promise<void> | undefined
  /** For `manual` turns. */
  endTurn(): void
  /** Sends text instead of speech. Resolves when logged. */
  say(text: string): Promise<void>
  /** Stops the answer; the log keeps the part that was heard. */
  interrupt(): Promise<void>
  /** Playback progress of an item. `isStopped`: playback has ended, as `interrupted` requires. */
  played(item: string, ms: number, isStopped?: boolean): void
  close(): void
}

/** A session has at most one line. */
export interface VoiceLines {
  /** The kind of line that the agent would get now, or null. */
  kindOf?(agent: string): VoiceLine['kind'] | null
  /** Resolves to a fault if the agent, server or provider cannot open a line. */
  open(request: VoiceRequest, client: VoiceClient): Promise<VoiceLine | VoiceFault>
}

export const isVoiceFault = (opened: VoiceLine | VoiceFault): opened is VoiceFault => 'code' in opened
