// The facts that views of a session are made of. A live session has them, and so has the past of one, folded from its log.
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import type { Incarnations } from '@bridle/kernel/positions/incarnation'
import type { SessionState } from '@bridle/kernel/projections/state'

export interface SessionFacts {
  readonly key: Key
  readonly state: SessionState
  readonly incarnations: Incarnations
  /** The engine of the session's agent, where its runner names one. */
  readonly identity?: EngineIdentity | undefined
  /** The last sign of life of the process that owns the session. No log has it. */
  readonly heartbeatAt: number | null
}

/**
 * A view that reads events of the log: it yields their numbers, which ascend, and gets the events. A server reads them from its
 * store, and a page that has the log takes them from there, so that both run the same view.
 */
export type EventLookup<T> = Generator<readonly number[], T, readonly AnyEvent[]>
