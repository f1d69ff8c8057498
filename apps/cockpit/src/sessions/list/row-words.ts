// The words of a row: progress, reason of a failure, origin, cost, number of events.

import type { SessionRow } from 'bridle/client'
import { ageText, costText } from 'bridle/words'

/** Characters of the reason of a failure in a row, which has one line: the session's page has all of it. */
const FAILURE_CHARS = 200
/** An attempt that is due sooner than this is said to come now: rows show whole seconds, late by some. */
const RETRY_NOW_MS = 5_000

/** `3 of 5 · Run the tests`, `Step 3 of 5` where the step has no title, `attempt 2 of 4`, `reduced detail`; empty where the session tells no progress. */
export const progressText = ({ step, attempt_count, max_retries, runner_kind }: SessionRow): string => {
  if (step) {
    const place = step.total === null ? String(step.index) : `${step.index} of ${step.total}`
    return step.title === '' ? `Step ${place}` : `${place} · ${step.title}`
  }
  if (attempt_count > 1) return `attempt ${attempt_count} of ${max_retries + 1}`
  return runner_kind === 'bridge' ? 'reduced detail' : ''
}

/** The reason of a failure, in one line; empty for a session that has not failed. */
export const failureText = ({ status, last_error }: SessionRow): string =>
  status === 'failed' && last_error ? last_error.slice(0, FAILURE_CHARS).replace(/\s+/g, ' ').trim() : ''

/** The number in an event's id: `ev-118` is the 118th event. */
export const eventNumber = (eventId: string): string => eventId.replace(/^\D+/, '')

/** Where a branch or a child came from; empty for a session that began by itself. */
export const originText = ({ parent_session_id: parent, branch_source_event_id: event }: SessionRow): string => {
  if (parent === null) return ''
  return event === null ? `started by ${parent}` : `branch of ${parent} at ${eventNumber(event)}`
}

export const rowCostText = ({ usage }: SessionRow): string => {
  const cost = usage?.cost_usd
  return cost === null || cost === undefined ? 'unknown' : costText(cost)
}

/** True where the budget of cost is nearly used up, or is. */
export const isCostHigh = ({ health }: SessionRow): boolean =>
  health?.budget_pressure.budgets.some(({ budget, level }) => budget === 'max_cost_usd' && level !== 'ok') ?? false

/** The time until the next attempt; empty where none is due. */
export const retryText = ({ retry_at }: SessionRow, now: number): string => {
  if (retry_at === null || retry_at === undefined) return ''
  const leftMs = Date.parse(retry_at) - now
  return leftMs < RETRY_NOW_MS ? 'next try now' : `next try in ${ageText(leftMs)}`
}

/** Flags beside the score: `waiting` is said by the status already. */
export const shownFlags = ({ health }: SessionRow): readonly string[] =>
  (health?.flags ?? []).filter((flag) => flag !== 'waiting')
