// The key of a new session is derived before the request is validated: the Cloudflare gateway needs it to forward the request.

import { canonicalJson } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import { requiredId } from '@bridle/wire/http/wire/request-values'
import * as v from 'valibot'
import type { Access } from '../http/access/authenticate.ts'
import { digest, hex } from '../http/access/secrets.ts'
import { isOtherUsersId, openableSessions } from '../http/access/users.ts'
import { badRequest, type Denial, isDenial, sessionNotFound } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import { idempotencyKey } from '../http/requests/command-id.ts'
import { parseInput } from '../http/requests/parse-input.ts'
import { optionalField } from '../http/requests/request-fields.ts'
import type { RouteContext } from '../http/router/route.ts'
import { sessionTitle, settingsFields, voiceFields } from '../http/sessions/session-settings.ts'
import { workspaceFields } from '../http/sessions/workspace-choice.ts'
import { agentFields, chooseAgent } from './agent-choice.ts'
import { policyRequestSchema } from './policy.ts'

export const newSessionFields = {
  ...agentFields,
  ...settingsFields,
  ...voiceFields,
  ...workspaceFields,
  session_id: optionalField('The session’s id. Default: the server chooses one.', requiredId),
  title: optionalField('The title. Default: the beginning of the prompt.', sessionTitle),
  policy: v.optional(policyRequestSchema),
}

export const parentField = { parent_session_id: optionalField('The session that starts this one.', requiredId) }

const newSessionSchema = v.looseObject({
  ...agentFields,
  session_id: newSessionFields.session_id,
  ...parentField,
})

export const newSessionType = [
  'NewSession',
  'A session to make: a chat, or background work that starts at once.',
] as const

/** The caller's id, or one derived from the Idempotency-Key, or random. */
export const newSessionKey =
  (prefix: 'chat' | 'bg') =>
  async ({ request, access, ports, rawBody }: RouteContext): Promise<Key | Denial> => {
    const body = await rawBody.object()
    if (isDenial(body)) return body
    const input = parseInput(newSessionSchema, body, 'body')
    if (isDenial(input)) return input
    const agent = chooseAgent({ access, ports }, input)
    if (isDenial(agent)) return agent
    const commandId = idempotencyKey(request)
    if (isDenial(commandId)) return commandId
    const { tenant } = access
    const { session_id: named, parent_session_id: parent } = input
    const id = named ?? (await newSessionId(prefix, [tenant, agent.name, ...userPart(access), commandId]))
    if (await isOtherUsersId(access, id)) return sessionNotFound(id)
    const key = { tenant, agent: agent.name, id }
    if (ports.behindGateway) return key
    if (parent !== undefined) {
      const isHidden = await isOtherUsersId(access, parent)
      const isThere = (await openableSessions(access, await ports.directory.find(tenant, parent))).length > 0
      if (isHidden || !isThere) return badRequest('body: parent_session_id: There is no such session')
    }
    const taken = await ports.directory.find(tenant, id)
    if ((await openableSessions(access, taken)).length < taken.length) return sessionNotFound(id)
    if (taken.some((each) => each.key.agent !== agent.name))
      return refusalDenial({ refused: 'session_exists', message: 'Another agent has a session of this id.' })
    return key
  }

/** `from` ends with the Idempotency-Key, so that a repeated request finds its session. Null: random id. */
export const newSessionId = async (prefix: string, from: readonly unknown[]): Promise<string> =>
  from.at(-1) === null
    ? `${prefix}-${crypto.randomUUID()}`
    : `${prefix}-${hex(await digest(canonicalJson(from))).slice(0, 32)}`

/** Two users who choose the same key get separate sessions. */
export const userPart = ({ user }: Pick<Access, 'user'>): readonly string[] => (user === null ? [] : [user])
