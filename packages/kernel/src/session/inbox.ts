// The inbox of a session: commands wait here in their order, and are committed in batches, one batch at a time.

import type { Json } from '@bridle/events/json'
import { type Answer, type AnswerTo, type Command, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import type { StoredAnswer } from '../ports/log.ts'
import type { SessionState } from '../projections/state.ts'
import type { DecisionResult } from '../rules/decide.ts'

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

/** A caller that sends a command twice with one id gets one effect and the same answer. */
export interface IdempotencyKey {
  readonly commandId: string
  readonly bodyHash: string
  /** The hash that an earlier version made of the same command. */
  readonly olderHash?: string
  /** A second id that the command takes together with the first: a command that has only one of the two is in conflict with it. */
  readonly also?: Omit<IdempotencyKey, 'also'> | null
}

export interface BatchItem {
  readonly command: Command
  readonly id: IdempotencyKey | null
}

export interface BatchResult extends Omit<DecisionResult, 'outcome'> {
  /** Answers to be stored under their command ids. */
  readonly results: readonly StoredAnswer[]
  /** The outcome of each command, in order. */
  readonly outcomes: readonly (Answer | Refusal)[]
}

/** A batch of commands, decided one after the other: each sees the state that the ones before it leave. */
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
    // Refusals are not stored: the same command may be accepted later.
    if (isRefusal(decision.outcome)) continue
    for (const { commandId, bodyHash } of ids) results.push({ commandId, bodyHash, answer: decision.outcome as Json })
  }
  return { state, events, operations, results, outcomes }
}

/** Null = none of the ids has been used. */
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
