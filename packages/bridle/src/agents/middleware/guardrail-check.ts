// A check of an answer, its finding, and what follows from it.
import { truncate } from '../../kernel/text/truncate.ts'
import { shortErrorMessage } from '../error-message.ts'
import { FINDING_CHARS_MAX } from './limits.ts'
import type { AnswerReview, MiddlewareTurn } from './middleware.ts'

/** A check of an answer. */
export interface GuardrailCheck {
  /** The name that people read. */
  readonly name: string
  /** Returns what is wrong with the text; nothing where it is fine. A check that throws has found its error. */
  check(text: string, turn: MiddlewareTurn): string | null | undefined | Promise<string | null | undefined>
  /** The consequence of a finding: the answer is sent back (default), the turn fails, or people only read it. */
  readonly do?: 'again' | 'fail' | 'note'
}

/** The finding of a check; null: it found nothing. */
export type CheckResult = Required<Pick<GuardrailCheck, 'name' | 'do'>> & { readonly finding: string | null }

export const findingText = ({ name, finding }: CheckResult): string => `${name}: ${finding}`

export const findingOf = async (
  guardrail: GuardrailCheck,
  text: string,
  turn: MiddlewareTurn,
): Promise<string | null> => {
  try {
    const finding: unknown = await guardrail.check(text, turn)
    return finding ? truncate(String(finding), FINDING_CHARS_MAX) : null
  } catch (error) {
    return `the check could not be made: ${shortErrorMessage(error)}`
  }
}

/** The consequence of the findings; undefined: the answer is accepted. */
export const reviewOf = (found: readonly CheckResult[], againLeft: number): AnswerReview | undefined => {
  const failing = found.filter((each) => each.do === 'fail')
  if (failing.length > 0) return { fail: `The answer is refused. ${failing.map(findingText).join(' ')}` }
  const again = found.filter((each) => each.do === 'again')
  if (again.length === 0 || againLeft === 0) return undefined
  return { again: `[The answer cannot be used: ${again.map(findingText).join(' ')} Write the whole answer again.]` }
}
