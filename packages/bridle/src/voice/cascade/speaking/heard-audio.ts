// The audio of the runs that a line speaks, where the session asks for it: each item is kept as far as it was heard.
import type { Clock } from '../../../kernel/ports/clock.ts'
import { AnswerAudio } from '../../keeping/answer-audio.ts'
import type { AudioKeeper } from '../../keeping/audio-keeper.ts'
import { PLAYED_LOOK_MS } from '../../keeping/limits.ts'
import { type Playback, positionOf } from './playback.ts'
import type { SentSpeech } from './utterance.ts'

export class HeardAudio {
  readonly #audio: AnswerAudio
  readonly #clock: Clock

  /** Null: the session does not ask for audio. */
  constructor(keeper: AudioKeeper | null, clock: Clock) {
    this.#audio = new AnswerAudio(keeper)
    this.#clock = clock
  }

  /** Audio went to the client. Words of the line itself are no part of the answer. */
  add({ utterance: { runId, isNotice }, item }: SentSpeech, bytes: Uint8Array): void {
    if (!isNotice) this.#audio.add(runId, item, bytes)
  }

  /** The listener hears no more of this speech: so many milliseconds of it were played. */
  stop(speech: readonly SentSpeech[], playedMs: number): void {
    this.#audio.keep((item) => {
      const startMs = positionOf(speech, item, 0)
      // Speech that nobody remembers was played before.
      return startMs === null ? Number.POSITIVE_INFINITY : Math.max(0, playedMs - startMs)
    })
  }

  /** All of a run was sent: it is kept when it was played. */
  finish(runId: string, playback: Playback): void {
    if (!this.#audio.isWaiting) return
    if (playback.unplayed.some(({ utterance }) => utterance.runId === runId))
      this.#clock.after(PLAYED_LOOK_MS, () => this.finish(runId, playback))
    else this.#audio.keep((_item, run) => (run === runId ? Number.POSITIVE_INFINITY : null))
  }
}
