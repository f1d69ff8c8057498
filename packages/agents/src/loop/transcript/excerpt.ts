// The two ends of a large result, for the model. They are in the log, so that no request has to read the artifact again.

import { INLINE_CHARS_MAX } from '@bridle/events/limits'
import type { Payloads } from '@bridle/events/schemas'
import type { ReportItem } from '@bridle/kernel/commands'
import { truncate } from '@bridle/kernel/text/truncate'
import { RESULT_EXCERPT } from './turn-record.ts'

/** Characters at each end of a large result that the model sees: enough to know what it is and how it ended. */
const EXCERPT_CHARS = 2_000

/** The items of a finished call, with the excerpt ahead of an outcome whose result is large. */
export const withExcerpt = (items: readonly ReportItem[]): ReportItem[] =>
  items.flatMap((item) => {
    if (item.type !== 'event' || item.event.type !== 'tool_outcome') return [item]
    const { tool_call_id, status, result } = item.event.payload as Payloads['tool_outcome']
    const text = status !== 'ok' ? '' : typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
    if (text.length <= INLINE_CHARS_MAX) return [item]
    const payload = { text: excerpt(text), source: RESULT_EXCERPT, tool_call_id }
    return [{ type: 'event', event: { type: 'context_added', payload } }, item]
  })

export const excerpt = (text: string): string => {
  const head = truncate(text, EXCERPT_CHARS)
  const tail = text.slice(-EXCERPT_CHARS).replace(/^[\udc00-\udfff]/, '')
  const left = text.length - head.length - tail.length
  return `${head}\n[${left} of ${text.length} characters are left out here.]\n${tail}`
}

/** The beginning of a text. The reader learns how much is left out. */
export const beginningOf = (text: string, chars: number): string => {
  const head = truncate(text, chars)
  return head === text
    ? text
    : `${head}\n[${text.length - head.length} of ${text.length} characters are left out here.]`
}
