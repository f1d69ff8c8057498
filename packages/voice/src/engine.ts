// An engine of lines: how speech becomes prompts, and answers become speech.
import type { AnswerTo, Command, Refusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { VoiceClient, VoiceFault, VoiceLine, VoiceRequest } from '@bridle/kernel/ports/voice'

export interface LinePorts {
  readonly clock: Clock
  /** Sends a command to a session, as `Host.send` does. */
  readonly send: <C extends Command>(key: Key, command: C) => Promise<AnswerTo<C> | Refusal>
}

/** A line whose client may break off and come back. */
export interface EngineLine extends VoiceLine {
  /** A client that breaks off now misses something of an answer, or is in the middle of a sentence. */
  readonly isInUse: boolean
  /** The client is away, and may come back: a turn that it had not ended is lost. */
  pause(): void
  resume(awayMs: number): void
  /** The listener is gone. `isPlayed`: the client stays, and plays what it has to its end. */
  close(isPlayed?: boolean): void
}

export interface VoiceEngine<L extends EngineLine = EngineLine> {
  /** Resolves to a fault where there can be no line. `onClosed`: the line has been closed, and gives its place free. */
  open(request: VoiceRequest, client: VoiceClient, ports: LinePorts, onClosed?: () => void): Promise<L | VoiceFault>
}
