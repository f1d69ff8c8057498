// The execution feedback profile: a shell says what became of earlier directives, and the next turn of its agent learns it.
import * as v from 'valibot'
import type { JsonObject } from '../../kernel/json.ts'
import type { Denial } from '../http/router/denial.ts'
import { invalidField } from './errors.ts'
import { FEEDBACK_ENTRIES_MAX, FEEDBACK_TEXT_CHARS_MAX } from './limits.ts'
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
  readonly feedback: readonly JsonObject[]
  /** The payload without the feedback. A request that is repeated may bring other feedback, and is still the same. */
  readonly request: RequestPayload
}

/** Only the known fields of each entry are kept: a payload of a directive would be the user's own data. */
export const splitFeedback = ({ request, capabilities }: RequestMessage): RequestFeedback | Denial => {
  const { [PROFILE]: given, ...extensions } = request.extensions ?? {}
  if (!capabilities?.[PROFILE] || given === undefined) return { feedback: [], request }
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
