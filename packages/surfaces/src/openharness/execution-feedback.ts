// Shells report the results of earlier directives, which the agent's next turn receives.

import type { JsonObject } from '@bridle/events/json'
import { isRefusal } from '@bridle/kernel/commands'
import { keyText } from '@bridle/kernel/event'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import type { Session } from '@bridle/kernel/session/session'
import type { RequestMessage, RequestPayload } from '@bridle/wire/openharness/wire'
import * as v from 'valibot'
import { actorField } from '../http/access/users.ts'
import { type Denial, isDenial, notFound } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { commandKey } from '../http/requests/command-id.ts'
import type { RouteCall } from '../http/router/route.ts'
import { invalidField, requestIdConflict } from './errors.ts'
import { idFrom, requestKeyOf } from './line-ids.ts'
import { allOf } from './line-sessions.ts'
import { hasPrompt } from './turn-prompt.ts'
import type { TurnSession } from './turn-session.ts'

/** As many as a shell accepts directives per response. */
const FEEDBACK_ENTRIES_MAX = 1_000
/** Names and codes, never sentences. */
const FEEDBACK_TEXT_CHARS_MAX = 200

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
  readonly feedback: readonly JsonObject[] | null
  /** Payload without the feedback, which may differ when a request is retried. */
  readonly request: RequestPayload
}

/** Keeps only known fields: a directive's payload may contain user data. */
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

/** Stores each entry in the session that answered its `request_id`. True if the request contains nothing else. */
export const takeFeedback = async (
  call: RouteCall<unknown, unknown>,
  { target: { key }, line }: TurnSession,
  message: RequestMessage,
  { feedback }: RequestFeedback,
): Promise<boolean | Denial> => {
  if (feedback === null) return false
  const isAlone = !hasPrompt(message)
  const requestKey = await requestKeyOf(call.request, message)
  if (isDenial(requestKey)) return requestKey
  // A feedback-only request uses its id as the key. Otherwise the id belongs to the intent or token.
  const id = commandKey(requestKey && !isAlone ? `oh-feedback:${requestKey}` : requestKey, 'feedback')
  const target = await call.ports.host.find(key)
  const others = allOf(line).filter((session) => keyText(session.key) !== keyText(key))
  const kept = await Promise.all(others.map(async (session) => ({ session, entries: await known(session, feedback) })))
  const places = [
    ...(target ? [{ session: target, entries: await known(target, feedback) }] : []),
    ...kept.filter(({ entries }) => entries.length > 0),
  ]
  // Before its first intent, a line has no directives to report on.
  if (isAlone && places.length === 0) return notFound()
  for (const { session, entries } of places) {
    const denial = await keepEntries(call, session, entries, id)
    if (denial) return denial
  }
  return isAlone
}

/** Idempotent: for one id, the first entries win. */
const keepEntries = async (
  { ports: { host }, access }: Pick<RouteCall<unknown, unknown>, 'ports' | 'access'>,
  session: Session,
  entries: readonly JsonObject[],
  id: IdempotencyKey | null,
): Promise<Denial | null> => {
  const answer = await host.send(session.key, { type: 'feedback', entries, ...actorField(access) }, id)
  if (!isRefusal(answer)) return null
  return answer.refused === 'command_conflict' ? requestIdConflict() : refusalDenial(answer)
}

/** Drops entries about requests that this session has not answered. */
const known = async (session: Session, feedback: readonly JsonObject[]): Promise<readonly JsonObject[]> => {
  const ids = [...new Set(feedback.map(({ request_id }) => String(request_id)))]
  const answered = await Promise.all(ids.map(async (id) => session.hasAnswered(await idFrom(id))))
  const found = new Set(ids.filter((_, index) => answered[index]))
  return feedback.filter(({ request_id }) => found.has(String(request_id)))
}
