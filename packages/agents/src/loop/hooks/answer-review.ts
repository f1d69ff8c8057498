// The functions `answer` of middleware accept the answer, send the model back, or fail the turn. The decision and its consequence are one write.

import type { ReportItem } from '@bridle/kernel/commands'
import { truncate } from '@bridle/kernel/text/truncate'
import type { AnswerReview } from '../../middleware/middleware.ts'
import { hookEventItem, runHook } from '../../middleware/running.ts'
import { ERROR_CHARS_MAX } from '../../session/limits.ts'
import { eventItem } from '../calls/call-items.ts'
import type { LoopRun } from '../loop-run.ts'
import { REVIEW_SOURCE } from '../transcript/turn-record.ts'

/** How often the answer of a turn is sent back, over all middleware: a model that fails three times does not understand what is missing. */
export const AGAIN_MAX = 2
/** Characters of a text with which an answer is sent back: a page, which the model reads in every later request. */
const AGAIN_CHARS_MAX = 8_000

/** Asks each middleware in its order, up to the first that does not accept the answer. `end` ends the turn where all accept. */
export const reviewAnswer = async (
  run: LoopRun,
  end: ReportItem,
): Promise<{ readonly items: readonly ReportItem[]; readonly isSentBack: boolean }> => {
  if (end.type !== 'finished') return { items: [end], isSentBack: false }
  const againLeft = againLeftIn(run)
  const text = typeof end.result === 'string' ? end.result : JSON.stringify(end.result ?? '')
  const items: ReportItem[] = []
  const refused = (message: string) => ({
    items: [...items, { type: 'failed', message, reason: 'answer_refused' } as const],
    isSentBack: false,
  })
  for (const middleware of run.definition.use) {
    const { name } = middleware
    if (!middleware.answer) continue
    const result = await runHook(run, middleware, 'answer', async (turn) =>
      reviewOf(await middleware.answer?.({ ...turn, againLeft }, text)),
    )
    items.push(...result.items)
    if ('problem' in result) {
      // A middleware that fails accepts the answer: the work of the turn is not lost with it.
      if (!middleware.mustReview) continue
      return refused(truncate(`The answer could not be checked: the middleware ${result.problem}`, ERROR_CHARS_MAX))
    }
    const review = result.value
    if (review === null) items.push(hookEventItem(name, 'answer', 'accepted'))
    else if ('fail' in review) {
      const message = truncate(review.fail, ERROR_CHARS_MAX)
      items.push(hookEventItem(name, 'answer', 'failed', { reason: message }))
      return refused(message)
    } else if (againLeftIn(run) === 0) items.push(hookEventItem(name, 'answer', 'accepted', { reason: 'again_limit' }))
    else {
      const again = truncate(review.again, AGAIN_CHARS_MAX)
      items.push(hookEventItem(name, 'answer', 'again', { reason: truncate(again, ERROR_CHARS_MAX) }))
      items.push(eventItem('context_added', { text: again, source: `${REVIEW_SOURCE}${name}` }))
      // A listener has heard the draft. Playback is counted in characters of the answer, so a spoken draft stays.
      const withdrawal = run.job.spoken ? [] : [{ type: 'supersede', keep: 'before_last_step' } as const]
      return { items: [...withdrawal, ...items], isSentBack: true }
    }
  }
  return { items: [...items, end], isSentBack: false }
}

/** A turn that may not ask its model again keeps the answer that it has. */
const againLeftIn = ({ definition: { limits }, transcript: { turn }, now }: LoopRun): number =>
  turn.steps >= limits.steps || turn.workMs(now) >= limits.turnMs ? 0 : Math.max(0, AGAIN_MAX - turn.reviews)

/** Null: the answer is accepted. Throws where the middleware returns something else than a review. */
const reviewOf = (returned: unknown): AnswerReview | null => {
  if (returned === undefined || returned === null) return null
  const { again, fail } = returned as { readonly again?: unknown; readonly fail?: unknown }
  if (typeof fail === 'string' && fail !== '') return { fail }
  if (typeof again === 'string' && again !== '') return { again }
  throw new TypeError('answer returns { again } or { fail } with a text, or nothing.')
}
