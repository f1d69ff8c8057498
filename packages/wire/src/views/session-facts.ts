// Inputs of the session views. A live session provides them, as does a past session folded from its log.
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import type { Incarnations } from '@bridle/kernel/positions/incarnation'
import type { SessionState } from '@bridle/kernel/projections/state'

export interface SessionFacts {
  readonly key: Key
  readonly state: SessionState
  readonly incarnations: Incarnations
  /** Undefined if the runner does not name its engine. */
  readonly identity?: EngineIdentity | undefined
  /** Last heartbeat of the process that owns the session. Not in any log. */
  readonly heartbeatAt: number | null
}

/** Yields the numbers of events it needs, ascending. Servers and pages each read them from their own copy of the log. */
export type EventLookup<T> = Generator<readonly number[], T, readonly AnyEvent[]>
