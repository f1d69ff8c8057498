// The interface between lines and voice engines, which turn speech into prompts and answers into speech.
import type { AnswerTo, Command, Refusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { VoiceClient, VoiceFault, VoiceLine, VoiceRequest } from '@bridle/kernel/ports/voice'

export interface LinePorts {
  readonly clock: Clock
  readonly send: <C extends Command>(key: Key, command: C) => Promise<AnswerTo<C> | Refusal>
}

export interface EngineLine extends VoiceLine {
  /** True if a disconnect now would cut off an answer or a sentence. */
  readonly isInUse: boolean
  /** The client disconnected and may return. An unfinished turn is lost. */
  pause(): void
  resume(awayMs: number): void
  /** The listener has left for good. `isPlayed`: it still plays its buffered audio to the end. */
  close(isPlayed?: boolean): void
}

export interface VoiceEngine<L extends EngineLine = EngineLine> {
  /** Resolves to a fault if the line cannot be opened. `onClosed` frees its slot. */
  open(request: VoiceRequest, client: VoiceClient, ports: LinePorts, onClosed?: () => void): Promise<L | VoiceFault>
}
