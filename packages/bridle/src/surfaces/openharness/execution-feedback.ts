// The execution feedback profile: a shell says what became of earlier directives. The log has it, and the next turn of the agent learns it.
import * as v from 'valibot'
import { isRefusal } from '../../kernel/commands.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { IdempotencyKey } from '../../kernel/session/command-batch.ts'
import type { Session } from '../../kernel/session/session.ts'
import { actorField } from '../http/access/users.ts'
import type { Denial } from '../http/router/denial.ts'
import { refusalDenial } from '../http/router/kernel-denials.ts'
import type { RouteCall } from '../http/router/route.ts'
import { invalidField, requestIdConflict } from './errors.ts'
import { FEEDBACK_ENTRIES_MAX, FEEDBACK_TEXT_CHARS_MAX } from './limits.ts'
import { idFrom } from './session-key.ts'
import type { RequestMessage, RequestPayload } from './wire.ts'

const PROFILE = 'openharness.execution_feedback'

const text = v.pipe(v.string(), v.maxLength(FEEDBACK_TEXT_CHARS_MAX))
const maybeText = v.optional(v.nullable(text))
const entry = v.object({
  request_id: text,
  index: v.pipe(v.number(), v.integer(), v.minValue(0)),
  action_type: maybeText,
  outcome: v.picklist(['executed', 'degraded', 'skipped', 'denied', 'expired', 'failed', 'aborted']),
  code: maybeText,
  field: maybeText,
  duration_ms: v.optional(v.pipe(v.number(), v.minValue(0))),
})
const entries = v.pipe(v.array(entry), v.maxLength(FEEDBACK_ENTRIES_MAX))

export interface RequestFeedback {
  /** Null = the request brings none. */
  readonly feedback: readonly JsonObject[] | null
  /** The payload without the feedback. A request that is repeated may bring other feedback, and is still the same. */
  readonly request: RequestPayload
}

/** Only the known fields of each entry are kept: a payload of a directive would be the user's own data. */
export const splitFeedback = ({ request, capabilities }: RequestMessage): RequestFeedback | Denial => {
  const { [PROFILE]: given, ...extensions } = request.extensions ?? {}
  if (!capabilities?.[PROFILE] || given === undefined) return { feedback: null, request }
  const parsed = v.safeParse(entries, given)
  if (!parsed.success)
    return invalidField(
      ['extensions', PROFILE, v.getDotPath(parsed.issues[0])].filter((part) => part !== null).join('.'),
      'Send a list of { request_id, index, outcome } as the profile has it.',
    )
  const { extensions: _given, ...rest } = request
  return {
    feedback: parsed.output as unknown as readonly JsonObject[],
    request: { ...rest, ...(Object.keys(extensions).length > 0 && { extensions }) },
  }
}

/** Keeps the feedback of a request as an event. With the same `requestKey` it is kept once, and what came first counts. */
export const keepFeedback = async (
  { ports: { host }, access }: Pick<RouteCall<unknown, unknown>, 'ports' | 'access'>,
  session: Session,
  feedback: readonly JsonObject[],
  requestKey: IdempotencyKey | null,
): Promise<Denial | null> => {
  const entries = await ofThisSession(session, feedback)
  const answer = await host.send(session.key, { type: 'feedback', entries, ...actorField(access) }, requestKey)
  if (!isRefusal(answer)) return null
  return answer.refused === 'command_conflict' ? requestIdConflict() : refusalDenial(answer)
}

/** Entries about requests that the session has not answered are left out: they are about nothing that its agent has said. */
const ofThisSession = async (session: Session, feedback: readonly JsonObject[]): Promise<readonly JsonObject[]> => {
  const ids = [...new Set(feedback.map(({ request_id }) => String(request_id)))]
  const answered = await Promise.all(ids.map(async (id) => session.hasAnswered(await idFrom(id))))
  const known = new Set(ids.filter((_, index) => answered[index]))
  return feedback.filter(({ request_id }) => known.has(String(request_id)))
}
