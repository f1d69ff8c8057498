// Events between the calls that an operator looks for: checkpoints, compactions, warnings, retries, and what people and budgets did.
import type { TimelineEntry } from 'bridle/client'
import { type EventLook, eventLook } from '../../event-look.ts'

export interface Mark extends EventLook {
  readonly seq: number
  /** In ms since 1970. */
  readonly at: number
}

const MARKED: ReadonlySet<string> = new Set([
  ...['session_checkpoint', 'context_compacted', 'context_warning', 'retry_scheduled', 'session_paused'],
  ...['session_resumed', 'cancel_requested', 'budget_crossed', 'budget_raised', 'branched', 'output_superseded'],
  ...['transport_diagnostic', 'error'],
])

export const marksOf = (timeline: readonly TimelineEntry[]): readonly Mark[] =>
  timeline.filter(({ type, payload }) => MARKED.has(type) && !isRepetition(type, payload)).map(markOf)

export const markOf = ({ seq, type, timestamp, payload }: TimelineEntry): Mark => {
  const at = Date.parse(timestamp)
  return { seq, at, ...eventLook(type, payload, at) }
}

/** The checkpoint at the end of a turn says no more than the turn. With `keep` a crash cut off a piece of text, and the rest stays. */
const isRepetition = (type: string, payload: unknown): boolean => {
  const { checkpoint_type, keep } = payload as { readonly [name: string]: unknown }
  return type === 'session_checkpoint' ? checkpoint_type === 'turn' : type === 'output_superseded' && keep !== undefined
}
