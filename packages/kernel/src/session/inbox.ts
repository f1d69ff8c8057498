// The inbox of a session: commands wait here in their order, and are committed in batches, one batch at a time.
import type { Answer, AnswerTo, Command, Refusal } from '../commands.ts'
import type { BatchItem, IdempotencyKey } from './command-batch.ts'

/** Commands waiting for the drain: beyond it callers are told to slow down. */
export const INBOX_MAX = 10_000
/** Items decided per append: bounds how long one commit can keep others waiting. */
const BATCH_MAX = 512

export interface InboxItem extends BatchItem {
  readonly resolve: (outcome: Answer | Refusal) => void
  readonly reject: (cause: unknown) => void
}

export class Inbox {
  readonly #items: InboxItem[] = []
  readonly #commit: (batch: readonly InboxItem[]) => Promise<void>
  #isDraining = false
  #drained: Promise<void> = Promise.resolve()

  constructor(commit: (batch: readonly InboxItem[]) => Promise<void>) {
    this.#commit = commit
  }

  get isFull(): boolean {
    return this.#items.length >= INBOX_MAX
  }

  /** No command waits, and none is being committed. */
  get isQuiet(): boolean {
    return !this.#isDraining && this.#items.length === 0
  }

  /** Resolves when no batch is being committed any more. */
  get drained(): Promise<void> {
    return this.#drained
  }

  /** Resolves when the command is committed. */
  add<C extends Command>(command: C, id: IdempotencyKey | null): Promise<AnswerTo<C> | Refusal> {
    return new Promise((resolve, reject) => {
      // `decide` answers each command as `Answers` says.
      this.#items.push({ command, id, resolve: resolve as InboxItem['resolve'], reject })
      if (!this.#isDraining) this.#drained = this.#drain()
    })
  }

  /** The commands that wait are not committed: their callers get the cause. */
  rejectAll(cause: unknown): void {
    for (const item of this.#items.splice(0)) item.reject(cause)
  }

  async #drain(): Promise<void> {
    this.#isDraining = true
    try {
      while (this.#items.length > 0) await this.#commit(this.#items.splice(0, BATCH_MAX))
    } finally {
      this.#isDraining = false
    }
  }
}
