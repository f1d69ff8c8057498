import { reduceFrontend } from '@bridle/client/frontend/reducer'
import { emptyFrontendState, type FrontendState } from '@bridle/client/frontend/state'
import type { AnyEvent, Key } from '@bridle/kernel/event'
import type { Incarnations } from '@bridle/kernel/positions/incarnation'
import { emptyState, evolve, type SessionState } from '@bridle/kernel/projections/state'
import { streamEnvelope } from '@bridle/wire/frontend/envelope'
import type { LogEntry } from '@bridle/wire/log-entry'

export interface FoldedState {
  readonly session: SessionState
  readonly events: FrontendState
}

export interface FoldedLog {
  readonly key: Key
  readonly incarnations: Incarnations
}

/** A stream's greeting provides the session and the incarnation. */
export const initialState = ({ key, incarnations }: FoldedLog): FoldedState => ({
  session: emptyState,
  events: { ...emptyFrontendState, sessionId: key.id, incarnation: incarnations.own },
})

/** Withheld entries count as hearsay: they move the head and the time of the last activity. */
export const foldEntry = ({ session, events }: FoldedState, entry: LogEntry, log: FoldedLog): FoldedState => {
  const event = (entry.withheld ? { ...entry, hearsay: true } : entry) as AnyEvent
  const envelope = entry.withheld ? null : streamEnvelope(log.key, event, 'debug', log.incarnations)
  return {
    session: evolve(session, event),
    events: envelope ? reduceFrontend(events, envelope) : events,
  }
}
