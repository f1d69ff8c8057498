import { type JsonObject, present } from '@bridle/events/json'
import type { RequestPayload, ShellIdentity } from '@bridle/wire/openharness/wire'
import { deriveToken } from '../http/access/sealing.ts'
import { type Denial, isDenial } from '../http/denials/denial.ts'
import type { RouteContext } from '../http/router/route.ts'
import { parseAttachments } from './attachments.ts'
import { secretOf } from './continuation.ts'
import { keptState } from './privacy.ts'
import { shellInput } from './shell.ts'

export interface KeptFields {
  readonly prompt: string
  readonly fields: JsonObject
  readonly attachments: readonly JsonObject[]
  readonly shell: ShellIdentity | null
}

/** Excludes `auth`, which is only for the edge, and private data. Equal for a retried request. */
export const keptFields = async (
  { ports, access }: Pick<RouteContext, 'ports' | 'access'>,
  { context = {}, extensions }: RequestPayload,
): Promise<KeptFields | Denial> => {
  const { user_intent: prompt = '', task_hint, shell = null } = context
  const attachments = parseAttachments(context.attachments ?? [])
  if (isDenial(attachments)) return attachments
  const { restrictedKeys } = ports.openharness ?? {}
  const fingerprint = async (text: string) => deriveToken(await secretOf(ports), 'privacy', access.tenant, text)
  const fields = present({
    task_hint,
    environment_state: (await keptState(context.environment_state, fingerprint, restrictedKeys)) ?? undefined,
    extensions: context.extensions,
    request_extensions: extensions,
  })
  return { prompt, fields: fields as unknown as JsonObject, attachments, shell }
}

/** Excludes device state and shell, which may change between two attempts. */
export const comparedFields = ({ fields, ...kept }: KeptFields): JsonObject => {
  const { environment_state: _state, ...compared } = fields
  return { ...kept, fields: compared, shell: null } as unknown as JsonObject
}

export const agentInput = (
  { prompt, fields, attachments, shell }: KeptFields,
  now: number,
  feedback: readonly JsonObject[],
): JsonObject => {
  const openharness = {
    ...fields,
    ...(attachments.length > 0 && { attachments }),
    ...(shell && { shell: shellInput(shell, now) }),
    ...(feedback.length > 0 && { execution_feedback: feedback }),
  }
  return { prompt, ...(Object.keys(openharness).length > 0 && { openharness }) }
}
