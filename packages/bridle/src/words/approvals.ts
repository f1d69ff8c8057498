// Approvals: the question, the answer, and the people who act.
import { budgetNameText } from './budgets.ts'
import { type Fields, textOf } from './fields.ts'

/** Follows a name that the caller supplied, because its credential names no user. */
export const CLAIMED = '(not signed in)'

/** `ann`, `ann (not signed in)`; empty if the event has no name. */
export const actorText = ({ actor, actor_claimed }: Fields): string =>
  actor_claimed === true ? `${textOf(actor)} ${CLAIMED}` : textOf(actor)

/** `Paused by ann`, `Paused`. */
export const byActor = (act: string, fields: Fields): string => {
  const actor = actorText(fields)
  return actor === '' ? act : `${act} by ${actor}`
}

/** The person who answered an approval; null = unanswered, or no name is known. */
export const deciderText = ({ decidedBy, decidedByClaimed }: Decider): string | null =>
  decidedBy !== null && decidedByClaimed ? `${decidedBy} ${CLAIMED}` : decidedBy

interface Decider {
  readonly decidedBy: string | null
  readonly decidedByClaimed?: true | undefined
}

/** The thing that the answer is about: a tool, or the limits that were reached. */
export const approvalSubject = ({ tool_name, kind }: Fields): string =>
  kind === 'budget' ? textOf(tool_name).split(',').map(budgetNameText).join(', ') : textOf(tool_name)

interface AnswerWords {
  readonly title: string
  /** The reason, unless the title contains it; empty = none. */
  readonly reason: string
}

/** The answer to an approval: by whom, and how; or why there will be none. */
export const answerWords = (fields: Fields): AnswerWords => {
  const answer = textOf(fields.decision) || 'approved'
  const why = textOf(fields.reason)
  const left = answer === 'cancelled' ? leftTitles.get(why) : undefined
  const unanswered = left ?? unansweredTitles.get(answer)
  if (unanswered !== undefined) return { title: unanswered, reason: left !== undefined || why === answer ? '' : why }
  const words = `${answer}${fields.arguments ? ' with edits' : ''}`
  const actor = actorText(fields)
  // A log without a name does not say who it was: it may well have been the reader.
  return { title: actor === '' ? words.charAt(0).toUpperCase() + words.slice(1) : `${actor} ${words}`, reason: why }
}

/** A cancelled approval, by its reason: another session has the question, and it is unanswered here. */
const leftTitles: ReadonlyMap<string, string> = new Map([
  ['branched', 'The approval stayed with the session that was branched'],
  ['imported', 'The approval stayed with the session that was exported'],
])

const unansweredTitles: ReadonlyMap<string, string> = new Map([
  ['cancelled', 'The approval ended with its run'],
  ['expired', 'Expired without an answer'],
  ['superseded', 'The approval was withdrawn'],
])
