// A message that goes on where a run waits: the shell's user has approved or denied, or only wants to know how things stand.

import type { QuestionAnswers } from '@bridle/events/answers'
import { ownProperty, present } from '@bridle/events/json'
import { isRefusal } from '@bridle/kernel/commands'
import type { Key } from '@bridle/kernel/event'
import { takesText, textAnswer } from '@bridle/kernel/rules/approvals/typed-answers'
import type { AppPorts } from '../app.ts'
import { actorField } from '../http/access/users.ts'
import { Denial } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { commandKey } from '../http/requests/command-id.ts'
import type { RouteCall } from '../http/router/route.ts'
import type { ContinuationClaim } from './continuation.ts'
import { engineError, expiredContinuation, invalidField, requestIdConflict } from './errors.ts'
import { idFrom } from './line-ids.ts'

/** Null = the run goes on, and its answer can be awaited. */
export const resumeRun = async (
  { ports, access }: Pick<RouteCall<unknown, unknown>, 'ports' | 'access'>,
  { key, approvalId, option }: ContinuationClaim,
  requestId: string | null,
  intent: string | undefined,
): Promise<Denial | null> => {
  if (option === 'status') return null
  if (!access.scopes.includes('approve')) return new Denial('forbidden', 'This needs the scope "approve".')
  const decision = option === 'approve' ? 'approved' : 'denied'
  const answersOf = option === 'approve' ? await textAnswers(ports, key, approvalId) : null
  if (answersOf && !intent) return invalidField('context.user_intent', 'Send the answer to the question, as a text.')
  const answers = answersOf?.(intent ?? '')
  // The id is that of the question, and the hash that of the request: the question is answered once, by one request. The request's own id
  // is taken with it, so that no other request of the session can have it.
  const answered = { decision, ...(answersOf && { intent }) }
  const own = requestId ? commandKey(await idFrom(requestId), { approvalId, ...answered }) : null
  const once = commandKey(`oh-continue:${approvalId}`, { requestId, ...answered })
  const id = once && { ...once, also: own }
  const answer = await ports.host.send(
    key,
    { type: 'approve', approvalId, decision, ...present({ answers }), ...actorField(access) },
    id,
  )
  if (!isRefusal(answer)) return null
  const approvals = (await ports.host.find(key))?.state.approvals
  const settled = approvals && ownProperty(approvals.decided, approvalId)?.decision
  const isAnswered = settled === 'approved' || settled === 'denied'
  switch (answer.refused) {
    case 'command_conflict':
      return isAnswered ? used() : requestIdConflict()
    case 'approval_not_found':
      return expired()
    case 'approval_settled':
      return isAnswered ? used() : expired()
    default:
      return refusalDenial(answer)
  }
}

/** A text as the answers of a question that takes one; null = it takes none. */
const textAnswers = async (
  { host }: AppPorts,
  key: Key,
  approvalId: string,
): Promise<((text: string) => QuestionAnswers) | null> => {
  const approvals = (await host.find(key))?.state.approvals
  const open = approvals && ownProperty(approvals.open, approvalId)
  if (open) return takesText(open) ? (text) => textAnswer(open, text) : null
  // The answer decides whether this is the same one again.
  const decided = approvals && ownProperty(approvals.decided, approvalId)
  return decided?.kind === 'question' ? () => ({}) : null
}

const used = (): Denial => engineError('continuation_used', 'This question is answered already.')
const expired = (): Denial => expiredContinuation('This question is no longer open.')
