// A batch of commands, decided one after the other: each sees the state that the ones before it leave.

import type { Json } from '@bridle/events/json'
import { type Answer, type Command, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import type { StoredAnswer } from '../ports/log.ts'
import type { SessionState } from '../projections/state.ts'
import type { DecisionResult } from '../rules/decide.ts'

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

/** Null = nobody has used one of the ids. */
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
