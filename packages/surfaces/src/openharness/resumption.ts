// Continues a waiting run, for a user who approved, denied, or only polls.

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

/** Null if the run continues and its answer can be awaited. */
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
  // A question is answered once, by a single request. That request also takes its own id, which no other may then use.
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

/** Null if the request does not answer a question. `given` is null for the default. */
const answerTo = async (
  { host }: AppPorts,
  claim: ContinuationClaim,
  request: RequestPayload,
): Promise<{ readonly given: GivenAnswer | null } | Denial | null> => {
  const session = await host.find(claim.key)
  const open = session && findOpenApproval(session.state, claim.approvalId)
  const kind = open?.kind ?? (session && findSettledApproval(session.state, claim.approvalId))?.kind
  if (kind !== 'question') return null
  // Once decided, only the request id decides whether this is a repeat.
  const given = open ? shellAnswer(open, claim, request) : { answers: {} }
  return isDenial(given) ? given : { given }
}

const used = (): Denial => engineError('continuation_used', 'This question is answered already.')
const expired = (): Denial => expiredContinuation('This question is no longer open.')
