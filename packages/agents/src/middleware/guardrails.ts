// `guardrails({ checks })`: the author's own checks look at each answer, and at each call where that is wanted.
import { truncate } from '@bridle/kernel/text/truncate'
import { shortErrorMessage } from '../session/error-message.ts'
import type { AnswerReview, Middleware, MiddlewareTurn } from './middleware.ts'

/** Characters of a finding of a check: a sentence or two, for the model and for people. */
const FINDING_CHARS_MAX = 1_000

/** The checks of `guardrails()`. */
export interface GuardrailOptions {
  /** The checks, which run at the same time. */
  readonly checks: readonly GuardrailCheck[]
  /** The checks also look at the arguments of each call, as JSON; a finding that is no note denies the call. */
  readonly calls?: boolean
}

/** A check of an answer. */
export interface GuardrailCheck {
  /** The name that people read. */
  readonly name: string
  /** Returns what is wrong with the text; nothing where it is fine. A check that throws has found its error. */
  check(text: string, turn: MiddlewareTurn): string | null | undefined | Promise<string | null | undefined>
  /** The consequence of a finding: the answer is sent back (default), the turn fails, or people only read it. */
  readonly do?: 'again' | 'fail' | 'note'
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

/** The finding of a check; null: it found nothing. */
type CheckResult = Required<Pick<GuardrailCheck, 'name' | 'do'>> & { readonly finding: string | null }

const findingText = ({ name, finding }: CheckResult): string => `${name}: ${finding}`

const findingOf = async (guardrail: GuardrailCheck, text: string, turn: MiddlewareTurn): Promise<string | null> => {
  try {
    const finding: unknown = await guardrail.check(text, turn)
    return finding ? truncate(String(finding), FINDING_CHARS_MAX) : null
  } catch (error) {
    return `the check could not be made: ${shortErrorMessage(error)}`
  }
}

/** The consequence of the findings; undefined: the answer is accepted. */
const reviewOf = (found: readonly CheckResult[], againLeft: number): AnswerReview | undefined => {
  const failing = found.filter((each) => each.do === 'fail')
  if (failing.length > 0) return { fail: `The answer is refused. ${failing.map(findingText).join(' ')}` }
  const again = found.filter((each) => each.do === 'again')
  if (again.length === 0 || againLeft === 0) return undefined
  return { again: `[The answer cannot be used: ${again.map(findingText).join(' ')} Write the whole answer again.]` }
}
