// The key of a session that is to be made. It is known before anything else of the request is looked at, since whoever passes
// the request on has to know where the session will live.
import * as v from 'valibot'
import type { Key } from '../../kernel/event.ts'
import { isForeign, openTo } from '../http/access/users.ts'
import { idempotencyKey } from '../http/requests/command-id.ts'
import { issueText } from '../http/requests/issue-text.ts'
import { badRequest, notFound, refused } from '../http/router/errors.ts'
import { type Arrival, optionalId } from '../http/router/route.ts'
import { agentFields, agentFor } from './agent-choice.ts'
import { newId, ofUser } from './session-ids.ts'

const wish = v.looseObject({ ...agentFields, session_id: optionalId, parent_session_id: optionalId })

/** Named by the caller, or made from the caller's key, or by chance. */
export const newKey =
  (prefix: 'chat' | 'bg') =>
  async ({ request, access, ports, sent }: Arrival): Promise<Key | Response> => {
    const body = await sent.object()
    if (body instanceof Response) return body
    const parsed = v.safeParse(wish, body)
    if (!parsed.success) {
      const [issue] = parsed.issues
      return badRequest(`body: ${issueText(issue)}`)
    }
    const agent = agentFor({ ports }, parsed.output)
    if (agent instanceof Response) return agent
    const commandId = idempotencyKey(request)
    if (commandId instanceof Response) return commandId
    const { tenant } = access
    const { session_id: named, parent_session_id: parent } = parsed.output
    const id = named ?? (await newId(prefix, [tenant, agent.name, ...ofUser(access), commandId]))
    if (await isForeign(access, id)) return notFound()
    const key = { tenant, agent: agent.name, id }
    if (ports.isWithin) return key
    if (parent !== undefined) {
      const isHidden = await isForeign(access, parent)
      const isThere = (await openTo(access, await ports.directory.find(tenant, parent))).length > 0
      if (isHidden || !isThere) return badRequest('body: parent_session_id: There is no such session')
    }
    const taken = await ports.directory.find(tenant, id)
    const others = taken.filter((each) => each.key.agent !== agent.name)
    if ((await openTo(access, others)).length < others.length) return notFound()
    if (others.length > 0)
      return refused({ refused: 'session_exists', message: 'Another agent has a session of this id.' })
    return key
  }
