// Only reads the directory, because on Cloudflare this runs in the gateway. `turn-session.ts` then picks a session of the line.
import type { Key } from '@bridle/kernel/event'
import type { RequestMessage, TaskHint } from '@bridle/wire/openharness/wire'
import type { Access } from '../http/access/authenticate.ts'
import { isOtherUsersId, openableSessions } from '../http/access/users.ts'
import { Denial, isDenial, notFound } from '../http/denials/denial.ts'
import type { RouteContext } from '../http/router/route.ts'
import { decodeRequest } from './codec.ts'
import { openContinuation } from './continuation.ts'
import { invalidField } from './errors.ts'
import { conversationIds, namedLineId } from './line-ids.ts'

/** Resolved before anything else, because a gateway forwards the request to this session. */
export const sessionKeyOf = async (context: RouteContext): Promise<Key | Denial> => {
  const { request, access, ports, rawBody } = context
  const type = request.headers.get('content-type')
  if (type !== null && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    return new Denial('unsupported_encoding', 'Send the message as application/json.', {}, typeDetails)
  const body = await rawBody.object()
  const message = isDenial(body) ? body : decodeRequest(body)
  if (isDenial(message)) return message
  const { session_id: named, task_hint: hint, continuation } = message.request.context ?? {}
  const { continuation_token: token } = continuation ?? {}
  const { key: claimed } = (token && (await openContinuation(ports, token))) || { key: null }
  // A token identifies its session. Check access as if the caller had named it.
  if (!named && claimed?.tenant === access.tenant && (await isOpenTo(access, claimed.id))) return claimed
  const line = await namedLineId(context, message)
  if (isDenial(line)) return line
  const id = await conversationId(context, line, message)
  if (!(await isOpenTo(access, id))) return notFound()
  const wanted = wantedAgent(context, hint)
  if (wanted !== null && !ports.agents.has(wanted))
    return invalidField('context.task_hint.plugin_id', 'There is no agent of this name.')
  const own = await findOwn(context, id)
  if (isDenial(own)) return own
  // A new conversation starts in its line's object, where it is branched.
  const found = own.length > 0 || id === line ? own : await findOwn(context, line)
  if (isDenial(found) || (found !== own && found.length > 0 && !(await isOpenTo(access, line)))) return notFound()
  const [oldest = { tenant: access.tenant, agent: wanted ?? ports.defaultAgent, id }] = found
  const preferred = claimed?.id === id ? claimed.agent : wanted
  return found.find(({ agent }) => agent === preferred) ?? oldest
}

/** Null if the hint names none. An unknown `sop_id` remains a hint for the agent. */
export const wantedAgent = ({ ports }: Pick<RouteContext, 'ports'>, hint: TaskHint | undefined): string | null => {
  const procedure = hint?.sop_id && ports.agents.has(hint.sop_id) ? hint.sop_id : null
  return hint?.plugin_id || procedure
}

/** A conversation named like an agent is hashed, because `<line>:<agent>` is a session of the line itself. */
export const conversationId = async (
  { access, ports }: RouteContext,
  line: string,
  { request }: RequestMessage,
  isOfLine: (key: Key) => Promise<boolean> = async () => false,
): Promise<string> => {
  const conversation = request.context?.conversation_id
  if (!conversation) return line
  const { plain, hashed } = await conversationIds(line, conversation)
  if (plain === null || !ports.agents.has(conversation)) return plain ?? hashed
  if ((await ports.directory.find(access.tenant, hashed)).length > 0) return hashed
  for (const { key } of await ports.directory.find(access.tenant, plain)) if (!(await isOfLine(key))) return plain
  return hashed
}

/** Oldest first. Denied if any of them is not open to the caller. */
export const findOwn = async (
  { access, ports }: Pick<RouteContext, 'access' | 'ports'>,
  id: string,
): Promise<readonly Key[] | Denial> => {
  const taken = await ports.directory.find(access.tenant, id)
  const mine = await openableSessions(access, taken)
  return mine.length < taken.length ? notFound() : mine.map(({ key }) => key)
}

const typeDetails = { details: { field: 'content-type' } }

/** False for other sessions if a ticket opens one only, and for ids of other users. */
export const isOpenTo = async (access: Access, id: string): Promise<boolean> =>
  !(await isOtherUsersId(access, id)) && (access.sessionId === null || access.sessionId === id)
