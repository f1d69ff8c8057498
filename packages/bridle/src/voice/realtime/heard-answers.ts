// The audio of the answers of a line, where the session asks for it: each item is kept as far as it was heard.
import type { Clock } from '../../kernel/ports/clock.ts'
import { AnswerAudio } from '../keeping/answer-audio.ts'
import type { AudioKeeper } from '../keeping/audio-keeper.ts'
import { PLAYED_LOOK_MS } from '../keeping/limits.ts'
import type { SpokenAnswer } from './spoken-answer.ts'

export interface AnswersInProgress {
  /** The answer that was begun last; null: it was interrupted, or there is none. */
  readonly current: () => SpokenAnswer | null
  /** More audio may come, or the client is about to say how much it has played. */
  readonly isBusy: () => boolean
}

export class HeardAnswers {
  readonly #audio: AnswerAudio
  readonly #clock: Clock
  readonly #answers: AnswersInProgress
  #cancelLook: () => void = () => {}

  /** Null: the session does not ask for audio. */
  constructor(keeper: AudioKeeper | null, clock: Clock, answers: AnswersInProgress) {
    this.#audio = new AnswerAudio(keeper)
    this.#clock = clock
    this.#answers = answers
  }

  /** A piece of an item went to the client. */
  add(runId: string, item: string, bytes: Uint8Array): void {
    this.#audio.add(runId, item, bytes)
  }

  /** The answer is over for its listener. */
  keep(answer: SpokenAnswer | null, now: number): void {
    if (!this.#audio.isWaiting) return
    const heard = answer?.heardItems(now)
    this.#audio.keep((item) => heard?.get(item) ?? 0)
  }

  /** Looks until the listener has heard everything that came so far. */
  keepWhenPlayed(): void {
    this.#cancelLook()
    if (!this.#audio.isWaiting) return
    const [answer, now] = [this.#answers.current(), this.#clock.now()]
    if (!this.#answers.isBusy() && !answer?.playing(now)) return this.keep(answer, now)
    this.#cancelLook = this.#clock.after(PLAYED_LOOK_MS, () => this.keepWhenPlayed())
  }
}
