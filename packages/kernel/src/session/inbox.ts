// Commands wait in order and are committed batch by batch.

import type { Json } from '@bridle/events/json'
import { type Answer, type AnswerTo, type Command, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import type { StoredAnswer } from '../ports/log.ts'
import type { SessionState } from '../projections/state.ts'
import type { DecisionResult } from '../rules/decide.ts'

/** Beyond this, commands are refused as `busy`. */
export const INBOX_MAX = 10_000
/** Bounds how long one commit delays later commands. */
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

  get isQuiet(): boolean {
    return !this.#isDraining && this.#items.length === 0
  }

  get drained(): Promise<void> {
    return this.#drained
  }

  add<C extends Command>(command: C, id: IdempotencyKey | null): Promise<AnswerTo<C> | Refusal> {
    return new Promise((resolve, reject) => {
      // Type-safe, because `decide` answers each command according to `Answers`.
      this.#items.push({ command, id, resolve: resolve as InboxItem['resolve'], reject })
      if (!this.#isDraining) this.#drained = this.#drain()
    })
  }

  /** Their commands were not committed. */
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

/** Two commands with one id have one effect and the same answer. */
export interface IdempotencyKey {
  readonly commandId: string
  readonly bodyHash: string
  /** The hash of the same command in an earlier version. */
  readonly olderHash?: string
  /** A second id reserved with the first. A command with only one of the two conflicts. */
  readonly also?: Omit<IdempotencyKey, 'also'> | null
}

export interface BatchItem {
  readonly command: Command
  readonly id: IdempotencyKey | null
}

export interface BatchResult extends Omit<DecisionResult, 'outcome'> {
  /** To store under their command ids. */
  readonly results: readonly StoredAnswer[]
  readonly outcomes: readonly (Answer | Refusal)[]
}

/** Each command sees the state left by the ones before it. */
export const decideBatch = async (
  batch: readonly BatchItem[],
  before: SessionState,
  decide: (state: SessionState, command: Command) => DecisionResult,
  storedAnswer: (commandId: string) => Promise<StoredAnswer | null>,
): Promise<BatchResult> => {
  const events: AnyEvent[] = []
  const operations: DeltaOperation[] = []
  const results: StoredAnswer[] = []
  const outcomes: (Answer | Refusal)[] = []
  let state = before
  const find = async (commandId: string) =>
    results.find((result) => result.commandId === commandId) ?? (await storedAnswer(commandId))
  for (const { command, id } of batch) {
    const ids = id?.also ? [id, id.also] : id ? [id] : []
    const earlier = await earlierOutcome(ids, find)
    if (earlier) {
      outcomes.push(earlier)
      continue
    }
    const decision = decide(state, command)
    state = decision.state
    for (const event of decision.events) events.push(event)
    for (const operation of decision.operations) operations.push(operation)
    outcomes.push(decision.outcome)
    // Refusals are not stored: a retry may be accepted.
    if (isRefusal(decision.outcome)) continue
    for (const { commandId, bodyHash } of ids) results.push({ commandId, bodyHash, answer: decision.outcome as Json })
  }
  return { state, events, operations, results, outcomes }
}

const earlierOutcome = async (
  ids: readonly IdempotencyKey[],
  find: (commandId: string) => Promise<StoredAnswer | null>,
): Promise<Answer | Refusal | null> => {
  let answer: Answer | null = null
  for (const { commandId, bodyHash, olderHash } of ids) {
    const stored = await find(commandId)
    if (stored && stored.bodyHash !== bodyHash && stored.bodyHash !== olderHash) return refuse('command_conflict')
    if (stored) answer ??= stored.answer as Answer
  }
  return answer
}
