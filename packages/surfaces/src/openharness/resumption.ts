// A message that goes on where a run waits: the shell's user has approved or denied, or only wants to know how things stand.

import type { GivenAnswer } from '@bridle/events/answers'
import { isRefusal } from '@bridle/kernel/commands'
import { findOpenApproval, findSettledApproval } from '@bridle/kernel/projections/child-approvals'
import type { RequestPayload } from '@bridle/wire/openharness/wire'
import type { AppPorts } from '../app.ts'
import { actorField } from '../http/access/users.ts'
import { Denial, isDenial } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { commandKey } from '../http/requests/command-id.ts'
import type { RouteCall } from '../http/router/route.ts'
import type { ContinuationClaim } from './continuation.ts'
import { engineError, expiredContinuation, requestIdConflict } from './errors.ts'
import { idFrom } from './line-ids.ts'
import { answerWords, shellAnswer, unfitAnswer } from './questions.ts'

/** Null = the run goes on, and its answer can be awaited. */
export const resumeRun = async (
  { ports, access }: Pick<RouteCall<unknown, unknown>, 'ports' | 'access'>,
  claim: ContinuationClaim,
  requestId: string | null,
  request: RequestPayload,
): Promise<Denial | null> => {
  const { key, approvalId, option } = claim
  if (option === 'status') return null
  if (!access.scopes.includes('approve')) return new Denial('forbidden', 'This needs the scope "approve".')
  const decision = option === 'approve' ? 'approved' : 'denied'
  const answer = option === 'approve' ? await answerTo(ports, claim, request) : null
  if (isDenial(answer)) return answer
  // The id is that of the question, and the hash that of the request: the question is answered once, by one request. The request's own id
  // is taken with it, so that no other request of the session can have it.
  const answered = { decision, ...(answer && answerWords(claim, request)) }
  const own = requestId ? commandKey(await idFrom(requestId), { approvalId, ...answered }) : null
  const once = commandKey(`oh-continue:${approvalId}`, { requestId, ...answered })
  const id = once && { ...once, also: own }
  const reply = await ports.host.send(
    key,
    { type: 'approve', approvalId, decision, ...answer?.given, ...actorField(access) },
    id,
  )
  if (!isRefusal(reply)) return null
  const session = await ports.host.find(key)
  const settled = reply.settlement?.decision ?? (session && findSettledApproval(session.state, approvalId)?.decision)
  const isAnswered = settled === 'approved' || settled === 'denied'
  switch (reply.refused) {
    case 'invalid_answer':
      return unfitAnswer(request, reply.message)
    case 'command_conflict':
      return isAnswered ? used() : requestIdConflict()
    case 'approval_not_found':
      return expired()
    case 'approval_settled':
      return isAnswered ? used() : expired()
    default:
      return refusalDenial(reply)
  }
}

/** The answer of a request to a question; null = it is none. `given` null = the default. */
const answerTo = async (
  { host }: AppPorts,
  claim: ContinuationClaim,
  request: RequestPayload,
): Promise<{ readonly given: GivenAnswer | null } | Denial | null> => {
  const session = await host.find(claim.key)
  const open = session && findOpenApproval(session.state, claim.approvalId)
  const kind = open?.kind ?? (session && findSettledApproval(session.state, claim.approvalId))?.kind
  if (kind !== 'question') return null
  // Where it is decided, the request decides whether this is the same answer again.
  const given = open ? shellAnswer(open, claim, request) : { answers: {} }
  return isDenial(given) ? given : { given }
}

const used = (): Denial => engineError('continuation_used', 'This question is answered already.')
const expired = (): Denial => expiredContinuation('This question is no longer open.')
