// Builds a decision: events are numbered and folded as a rule adds them, so the rule always reads the resulting state.
// Nobody else sees them until the session has appended them.

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
  /** The changes that the events make to the conversation, kept for the wires that send them. */
  readonly operations: DeltaOperation[] = []
  /** Position in the runner's stream of the report being decided; null for all other events. */
  frame: number | null
  /** The actor of the command, if the caller supplied the name without a credential for it. Its events are marked. */
  claimedActor: string | null = null
  state: SessionState
  /** The parts of the state that only the numbered events have made: no rule has seen them. */
  readonly #owned = new Set<object>()

  constructor(key: Key, state: SessionState, now: number, frame: number | null = null) {
    this.key = key
    this.state = state
    // The clock may step back; the log's time does not.
    this.now = Math.max(state.at, now)
    this.frame = frame
  }

  /** The number of the next event: ids made from it are unique in the session. */
  get nextSeq(): number {
    return this.state.head + 1
  }

  get run(): Run | null {
    return this.state.lifecycle.run
  }

  /** Adds an event of the session. */
  add<T extends EventType>(type: T, payload: Payloads[T]): void {
    this.#push({ type, payload })
  }

  /** Adds an event that has its number and its time already. */
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

  /** Adds an event of another session's run, or of none. */
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
    // An imported log may end later than the clock.
    this.#fold({ seq: this.nextSeq, at: Math.max(this.state.at, this.now), ...draft, payload } as unknown as AnyEvent)
  }

  #fold(event: AnyEvent, owned?: Set<object>): void {
    this.events.push(event)
    const operations = conversationOperations(this.state.conversation, event)
    for (const operation of operations) this.operations.push(operation)
    this.state = evolveWith(this.state, event, operations, owned)
  }
}
