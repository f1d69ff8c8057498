// The words of a row: progress, origin, cost, number of events.

import type { SessionRow } from 'bridle/client'
import { ageText, costText } from '../../ui/numbers.ts'

/** `Step 3 of 5`, `attempt 2 of 4`, `reduced detail`, `chat`. */
export const progressText = ({ step, attempt_count, max_retries, runner_kind, kind }: SessionRow): string => {
  if (step) return step.total === null ? `Step ${step.index}` : `Step ${step.index} of ${step.total}`
  if (attempt_count > 1) return `attempt ${attempt_count} of ${max_retries + 1}`
  if (runner_kind === 'bridge') return 'reduced detail'
  return kind
}

/** The number in an event's id: `ev-118` is the 118th event. */
export const eventNumber = (eventId: string): string => eventId.replace(/^\D+/, '')

/** Where a branch or a child came from; empty for a session that began by itself. */
export const originText = ({ parent_session_id: parent, branch_source_event_id: event }: SessionRow): string => {
  if (parent === null) return ''
  return event === null ? `started by ${parent}` : `branch of ${parent} at ${eventNumber(event)}`
}

export const rowCostText = ({ usage }: SessionRow): string => {
  const cost = usage?.cost_usd
  return cost === null || cost === undefined ? 'not told' : costText(cost)
}

/** True where the budget of cost is nearly used up, or is. */
export const isCostHigh = ({ health }: SessionRow): boolean =>
  health?.budget_pressure.budgets.some(({ budget, level }) => budget === 'max_cost_usd' && level !== 'ok') ?? false

/** The time until the next attempt; empty where none is due. */
export const retryText = ({ retry_at }: SessionRow, now: number): string => {
  if (retry_at === null || retry_at === undefined) return ''
  const leftMs = Date.parse(retry_at) - now
  return leftMs < 5_000 ? 'next try now' : `next try in ${ageText(leftMs)}`
}

/** Flags beside the score: `waiting` is said by the status already. */
export const shownFlags = ({ health }: SessionRow): readonly string[] =>
  (health?.flags ?? []).filter((flag) => flag !== 'waiting')
