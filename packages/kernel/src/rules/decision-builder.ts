// Events are numbered and folded as they are added, so rules read the resulting state. Nothing is visible before the append.

import type { EventType } from '@bridle/events/catalogue'
import type { Payloads } from '@bridle/events/schemas'
import { assert } from '../assert.ts'
import type { DeltaOperation } from '../delta.ts'
import type { AnyEvent, EventDraft, Key } from '../event.ts'
import { conversationOperations } from '../projections/conversation.ts'
import type { Run } from '../projections/lifecycle-state.ts'
import { evolveWith, type SessionState } from '../projections/state.ts'

export class DecisionBuilder {
  readonly key: Key
  readonly now: number
  readonly events: AnyEvent[] = []
  readonly operations: DeltaOperation[] = []
  /** Position of the current report in the runner's stream; null otherwise. */
  frame: number | null
  /** A name that the caller supplied without a credential for it. Events with this actor are marked. */
  claimedActor: string | null = null
  state: SessionState
  /** Objects created by numbered events, which no rule has seen and which may change in place. */
  readonly #owned = new Set<object>()

  constructor(key: Key, state: SessionState, now: number, frame: number | null = null) {
    this.key = key
    this.state = state
    // The clock may step back; the log must not.
    this.now = Math.max(state.at, now)
    this.frame = frame
  }

  get nextSeq(): number {
    return this.state.head + 1
  }

  get run(): Run | null {
    return this.state.lifecycle.run
  }

  add<T extends EventType>(type: T, payload: Payloads[T]): void {
    this.#push({ type, payload })
  }

  addNumbered(event: AnyEvent): void {
    assert(event.seq === this.nextSeq, `event ${event.seq} where ${this.nextSeq} was due`)
    this.#fold(event, this.#owned)
  }

  addToRun<T extends EventType>(type: T, payload: Payloads[T], hearsay?: true): void {
    const { run } = this
    if (!run) return
    this.#push({
      type,
      payload,
      run: run.runId,
      attempt: run.attempt,
      ...(run.continues !== null && { continues: run.continues }),
      ...(this.frame !== null && { frame: this.frame }),
      ...(hearsay && { hearsay }),
    })
  }

  addToOtherRun<T extends EventType>(
    run: { readonly run: string; readonly attempt?: number } | null,
    type: T,
    payload: Payloads[T],
  ): void {
    this.#push({ type, payload, ...run })
  }

  #push<T extends EventType>(draft: EventDraft<T>): void {
    const { actor } = draft.payload as { readonly actor?: unknown }
    const isClaimed = this.claimedActor !== null && actor === this.claimedActor
    const payload = isClaimed ? { ...draft.payload, actor_claimed: true } : draft.payload
    // An imported log may end in the future.
    this.#fold({ seq: this.nextSeq, at: Math.max(this.state.at, this.now), ...draft, payload } as unknown as AnyEvent)
  }

  #fold(event: AnyEvent, owned?: Set<object>): void {
    this.events.push(event)
    const operations = conversationOperations(this.state.conversation, event)
    for (const operation of operations) this.operations.push(operation)
    this.state = evolveWith(this.state, event, operations, owned)
  }
}
