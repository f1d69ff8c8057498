// `guardrails({ checks })`: the author's own checks look at each answer, and at each call where that is wanted.
import { findingOf, findingText, type GuardrailCheck, reviewOf } from './guardrail-check.ts'
import type { Middleware, MiddlewareTurn } from './middleware.ts'

/** The checks of `guardrails()`. */
export interface GuardrailOptions {
  /** The checks, which run at the same time. */
  readonly checks: readonly GuardrailCheck[]
  /** The checks also look at the arguments of each call, as JSON; a finding that is no note denies the call. */
  readonly calls?: boolean
}

/** Middleware that checks each answer. At the end of a turn, an `antahkarana` says which checks ran and what they found. */
export const guardrails = ({ checks, calls = false }: GuardrailOptions): Middleware => {
  const isCheck = (each: Partial<GuardrailCheck> | null) =>
    typeof each?.name === 'string' && typeof each.check === 'function'
  if (!Array.isArray(checks) || checks.length === 0 || !checks.every(isCheck))
    throw new TypeError('guardrails() takes { checks } with a list of { name, check }.')
  const findingsIn = async (text: string, turn: MiddlewareTurn) =>
    Promise.all(
      checks.map(async (each) => ({
        name: each.name,
        do: each.do ?? 'again',
        finding: await findingOf(each, text, turn),
      })),
    )
  return {
    name: 'guardrails',
    // A check that must stop an answer stops it also where it does not come to an end.
    mustReview: checks.some((each: GuardrailCheck) => each.do === 'fail'),
    ...(calls && {
      before: async (call) => {
        const found = (await findingsIn(JSON.stringify(call.input), call)).filter((each) => each.finding !== null)
        const serious = found.find((each) => each.do !== 'note')
        return serious && { deny: findingText(serious) }
      },
    }),
    answer: async (turn, text) => {
      const results = await findingsIn(text, turn)
      const found = results.filter(({ finding }) => finding !== null)
      const review = reviewOf(found, turn.againLeft)
      if (review && 'again' in review) return review
      turn.emit('antahkarana', {
        trace_id: turn.turnId,
        confidence: (results.length - found.length) / results.length,
        layers: results.map(({ name, finding }) => ({ name, status: finding === null ? 'ok' : 'found', finding })),
      })
      return review
    },
  }
}
