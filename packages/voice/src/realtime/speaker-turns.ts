// Committed turns. Each becomes a prompt once it and all earlier turns are transcribed.
import type { Clock } from '@bridle/kernel/ports/clock'

/** Transcription is faster than speech. */
const TRANSCRIPTION_MS = 20_000

interface CommittedTurn {
  readonly id: string
  text: string | null
  readonly cancelTimer: () => void
  readonly known: PromiseWithResolvers<void>
}

export interface SpeakerTurnsPorts {
  readonly clock: Clock
  readonly onTurn: (id: string, text: string) => void
  readonly onLost: (id: string) => void
}

export class SpeakerTurns {
  readonly #ports: SpeakerTurnsPorts
  readonly #turns: CommittedTurn[] = []
  #ending: (PromiseWithResolvers<void> & { readonly cancelTimer: () => void }) | null = null

  constructor(ports: SpeakerTurnsPorts) {
    this.#ports = ports
  }

  get size(): number {
    return this.#turns.length
  }

  end(): void {
    this.settleEnd()
    const cancelTimer = this.#ports.clock.after(TRANSCRIPTION_MS, () => this.settleEnd())
    this.#ending = { ...Promise.withResolvers<void>(), cancelTimer }
  }

  /** Resolves when every turn so far is transcribed or lost. */
  async whenKnown(): Promise<void> {
    await this.#ending?.promise
    await this.#turns.at(-1)?.known.promise
  }

  committed(id: string): void {
    this.settleEnd()
    const cancelTimer = this.#ports.clock.after(TRANSCRIPTION_MS, () => this.transcribed(id, ''))
    this.#turns.push({ id, text: null, cancelTimer, known: Promise.withResolvers<void>() })
  }

  /** Empty `text` means the speech was not understood. */
  transcribed(id: string, text: string): void {
    const turn = this.#turns.find((each) => each.id === id)
    if (!turn) return
    turn.cancelTimer()
    turn.text = text.trim()
    while (this.#turns[0] && this.#turns[0].text !== null) {
      const { id: first, text: words, known } = this.#turns.shift() as CommittedTurn
      if (words) this.#ports.onTurn(first, words)
      else this.#ports.onLost(first)
      known.resolve()
    }
  }

  clear(): void {
    this.settleEnd()
    for (const { cancelTimer, known } of this.#turns.splice(0)) {
      cancelTimer()
      known.resolve()
    }
  }

  settleEnd(): void {
    this.#ending?.cancelTimer()
    this.#ending?.resolve()
    this.#ending = null
  }
}
