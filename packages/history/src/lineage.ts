// Joins the logs of a branch and its ancestors, each with its own events only.

import type { LogEntry } from '@bridle/wire/log-entry'
import { History, type HistorySession } from './history.ts'
import { HistoryError } from './history-error.ts'

/** A session with its own events, as in an export. */
export interface SessionLog {
  /** The session. */
  readonly session: HistorySession
  /** The session's own events, in sequence order. */
  readonly entries: readonly LogEntry[]
}

/** Joins the logs of a session and its ancestors. Pass `agent` if several sessions share the id. Throws if one is missing. */
export const historyOf = (logs: readonly SessionLog[], id: string, agent?: string): History => {
  const own = logs.find(({ session }) => session.id === id && session.agent === (agent ?? session.agent))
  if (!own) throw new HistoryError('out_of_range', 0, `There is no session "${id}" here. Choose one that is.`)
  const history = new History(own.session)
  for (const { entries, upTo } of stretchesOf(logs, own)) {
    const end = entries.findLastIndex(({ seq }) => seq <= upTo) + 1
    history.append(end === entries.length ? entries : entries.slice(0, end))
    if (history.head < upTo && upTo !== Number.POSITIVE_INFINITY)
      throw new HistoryError(
        'gap',
        upTo,
        `The events up to ${upTo} are not all here. Export the branch with its parents.`,
      )
  }
  return history
}

interface Stretch {
  readonly entries: readonly LogEntry[]
  readonly upTo: number
}

/** Oldest first. A branch of a branch may leave before its parent's own branch point. */
const stretchesOf = (logs: readonly SessionLog[], own: SessionLog): readonly Stretch[] => {
  const stretches: Stretch[] = []
  let log = own
  for (let upTo = Number.POSITIVE_INFINITY; ; ) {
    stretches.unshift({ entries: log.entries, upTo })
    const { parent, agent } = log.session
    if (!parent) return stretches
    upTo = Math.min(upTo, parent.seq)
    log = parentOf(logs, parent, agent, stretches.length)
  }
}

const parentOf = (
  logs: readonly SessionLog[],
  parent: NonNullable<HistorySession['parent']>,
  agent: string,
  depth: number,
): SessionLog => {
  const found = logs.find(({ session }) => session.id === parent.id && session.agent === (parent.agent ?? agent))
  // Detects cycles of parents.
  if (!found || depth > logs.length)
    throw new HistoryError(
      'gap',
      parent.seq,
      `The parent "${parent.id}" is not here. Export the branch with its parents.`,
    )
  return found
}
