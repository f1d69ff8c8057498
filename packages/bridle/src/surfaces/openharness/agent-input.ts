// The fields of a request that reach the log and the agent.
import { type JsonObject, present } from '../../kernel/json.ts'
import { type Denial, isDenial } from '../http/router/denial.ts'
import { parseAttachments } from './attachments.ts'
import { keptState } from './privacy.ts'
import { shellInput } from './shell.ts'
import type { RequestPayload, ShellIdentity } from './wire.ts'

export interface KeptFields {
  readonly prompt: string
  readonly fields: JsonObject
  readonly attachments: readonly JsonObject[]
  readonly shell: ShellIdentity | null
}

/** Nothing of `auth`, which is for the edge alone, and nothing private. A request that is repeated has the same. */
export const keptFields = async (
  { context = {}, extensions }: RequestPayload,
  restrictedKeys?: readonly string[],
): Promise<KeptFields | Denial> => {
  const { user_intent: prompt = '', task_hint, shell = null } = context
  const attachments = parseAttachments(context.attachments ?? [])
  if (isDenial(attachments)) return attachments
  const fields = present({
    task_hint,
    environment_state: (await keptState(context.environment_state, restrictedKeys)) ?? undefined,
    extensions: context.extensions,
    request_extensions: extensions,
  })
  return { prompt, fields: fields as unknown as JsonObject, attachments, shell }
}

/** The body that the agent accepts: the prompt, and the rest as `openharness`. */
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
