// The turns that the provider has committed. A turn becomes a prompt when its words, and the words of all earlier turns, are known.
import type { Clock } from '@bridle/kernel/ports/clock'

/** Time for the provider to write down a turn: it transcribes faster than people speak. */
const TRANSCRIPTION_MS = 20_000

interface CommittedTurn {
  readonly id: string
  /** Null: the words are not known yet. */
  text: string | null
  readonly cancelTimer: () => void
  readonly known: PromiseWithResolvers<void>
}

export interface SpeakerTurnsPorts {
  readonly clock: Clock
  readonly onTurn: (id: string, text: string) => void
  /** Nobody knows what was said. */
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

  /** A turn has ended, and the provider will confirm it. */
  end(): void {
    this.settleEnd()
    const cancelTimer = this.#ports.clock.after(TRANSCRIPTION_MS, () => this.settleEnd())
    this.#ending = { ...Promise.withResolvers<void>(), cancelTimer }
  }

  /** Resolves when the words of all turns so far are known, or nobody will know them. */
  async whenKnown(): Promise<void> {
    await this.#ending?.promise
    await this.#turns.at(-1)?.known.promise
  }

  committed(id: string): void {
    this.settleEnd()
    const cancelTimer = this.#ports.clock.after(TRANSCRIPTION_MS, () => this.transcribed(id, ''))
    this.#turns.push({ id, text: null, cancelTimer, known: Promise.withResolvers<void>() })
  }

  /** An empty text: the words could not be understood. */
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

  /** Forgets every turn: the provider that would write them down is gone. */
  clear(): void {
    this.settleEnd()
    for (const { cancelTimer, known } of this.#turns.splice(0)) {
      cancelTimer()
      known.resolve()
    }
  }

  /** The provider has confirmed the turn that has ended, or takes it for none. */
  settleEnd(): void {
    this.#ending?.cancelTimer()
    this.#ending?.resolve()
    this.#ending = null
  }
}
