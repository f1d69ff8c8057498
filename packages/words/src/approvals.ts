import { budgetNameText } from './budgets.ts'
import { capitalized, type Fields, textOf } from './fields.ts'
import { isQuestion } from './questions.ts'

/** Suffix of a name that the caller claimed without a credential for it. */
export const CLAIMED = '(not signed in)'

/** `ann`, `ann (not signed in)`. Empty without a name. */
export const actorText = ({ actor, actor_claimed }: Fields): string =>
  actor_claimed === true ? `${textOf(actor)} ${CLAIMED}` : textOf(actor)

/** `Paused by ann`, `Paused`. */
export const byActor = (act: string, fields: Fields): string => {
  const actor = actorText(fields)
  return actor === '' ? act : `${act} by ${actor}`
}

/** The name of the person who answered. Null if the approval is open or the name unknown. */
export const deciderText = ({ decidedBy, decidedByClaimed }: Decider): string | null =>
  decidedBy !== null && decidedByClaimed ? `${decidedBy} ${CLAIMED}` : decidedBy

interface Decider {
  readonly decidedBy: string | null
  readonly decidedByClaimed?: true | undefined
}

export const approvalSubject = ({ tool_name, kind }: Fields): string =>
  kind === 'budget' ? textOf(tool_name).split(',').map(budgetNameText).join(', ') : textOf(tool_name)

interface AnswerWords {
  readonly title: string
  /** Empty if there is none or the title contains it. */
  readonly reason: string
}

/** `ann approved with edits`, `Denied`, `Expired without an answer`. Without a name, the answer may be the reader's own. */
export const settlementText = (decision: string, by: string | null, isEdited = false): string => {
  const words = `${decision}${isEdited ? ' with edits' : ''}`
  return unansweredTitles.get(decision) ?? (by ? `${by} ${words}` : capitalized(words))
}

/** `ann answered`, `Declined`. `isDefault`: the question expired and its default applies. */
export const questionSettlementText = (decision: string, by: string | null, isDefault = false): string => {
  if (isDefault) return 'Expired, so the default applies'
  const word = questionDecisions.get(decision)
  if (word === undefined) return settlementText(decision, by).replace('The approval', 'The question')
  return by ? `${by} ${word}` : capitalized(word)
}

const questionDecisions: ReadonlyMap<string, string> = new Map([
  ['approved', 'answered'],
  ['denied', 'declined'],
])

/** True if a question expired and its default applies. */
export const isDefaultAnswer = ({ decision, reason, actor }: Fields): boolean =>
  decision === 'approved' && reason === 'expired' && !actor

/** How an approval was answered and by whom, or why it was closed without an answer. */
export const answerWords = (fields: Fields): AnswerWords => {
  const answer = textOf(fields.decision) || 'approved'
  const why = textOf(fields.reason)
  const left = answer === 'cancelled' ? leftTitles.get(why) : undefined
  if (left !== undefined) return { title: isQuestion(fields) ? left.replace('approval', 'question') : left, reason: '' }
  if (isQuestion(fields)) {
    const isDefault = isDefaultAnswer(fields)
    const isTold = isDefault || (unansweredTitles.has(answer) && why === answer)
    return { title: questionSettlementText(answer, actorText(fields), isDefault), reason: isTold ? '' : why }
  }
  const title = settlementText(answer, actorText(fields), Boolean(fields.arguments))
  return { title, reason: unansweredTitles.has(answer) && why === answer ? '' : why }
}

/** Approvals cancelled because another session now holds the question. */
const leftTitles: ReadonlyMap<string, string> = new Map([
  ['branched', 'The approval stayed with the session that was branched'],
  ['imported', 'The approval stayed with the session that was exported'],
])

const unansweredTitles: ReadonlyMap<string, string> = new Map([
  ['cancelled', 'The approval ended with its run'],
  ['expired', 'Expired without an answer'],
  ['superseded', 'The approval was withdrawn'],
  // Reported by clients that do not know the answer.
  ['closed', 'No longer waits'],
])
