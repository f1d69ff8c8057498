// A command with an idempotency key: sent, perhaps cut off, and sent again until the server answers.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PromiseTally } from './promises.ts'

/** A busy machine may take seconds instead of milliseconds. Waiting longer than a minute tells nothing more. */
export const PATIENCE_MS = 60_000

/** The answer to a command. Null: no answer came, or the server asked for a retry. */
export type CommandOutcome = { readonly isAcknowledged: boolean; readonly answer: unknown } | null

const AGAIN_MS = 25

export class RepeatableCommand {
  readonly key: string
  readonly #send: () => Promise<CommandOutcome>
  /** The answer that came before or during the fault. */
  #first: Promise<CommandOutcome> = Promise.resolve(null)

  constructor(key: string, send: () => Promise<CommandOutcome>) {
    this.key = key
    this.#send = send
  }

  begin(): void {
    this.#first = this.#send()
  }

  /** Sent again, twice: all answers are the same. */
  async repeat(tally: PromiseTally): Promise<CommandOutcome> {
    const first = await this.#first
    const [second, third] = [await this.untilAnswered(), await this.untilAnswered()]
    tally.check('8', second !== null, () => `${this.key} got no answer within ${PATIENCE_MS / 1_000} seconds`)
    if (first?.isAcknowledged) {
      tally.check(
        '1',
        second?.isAcknowledged === true,
        () => `${this.key} was acknowledged and is gone: ${says(second)}`,
      )
      tally.checkEqual('6', second?.answer, first.answer, `${this.key}, sent again`)
    }
    tally.checkEqual('6', third?.answer, second?.answer, `${this.key}, sent a third time`)
    return second
  }

  async untilAnswered(): Promise<CommandOutcome> {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(AGAIN_MS)) {
      const outcome = await this.#send()
      if (outcome !== null) return outcome
    }
    return null
  }
}

const says = (outcome: CommandOutcome): string => JSON.stringify(outcome?.answer ?? null).slice(0, 300)
