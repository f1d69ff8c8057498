// The session of a request: the one that it names, else one that is made from its id, else a new one.
import { isRefusal } from '../../kernel/commands.ts'
import { isId, type Key } from '../../kernel/event.ts'
import { canonicalJson, type JsonObject } from '../../kernel/json.ts'
import { ownerFromId } from '../../kernel/owner.ts'
import type { Access } from '../http/access/authenticate.ts'
import { digest, hex } from '../http/access/secrets.ts'
import { isOtherUsersId, openableSessions, ownerField } from '../http/access/users.ts'
import { idempotencyKey } from '../http/requests/command-id.ts'
import { Denial, isDenial, notFound } from '../http/router/denial.ts'
import { refusalDenial } from '../http/router/kernel-denials.ts'
import type { RouteCall, RouteContext } from '../http/router/route.ts'
import { decodeRequest } from './codec.ts'
import { openContinuation } from './continuation.ts'
import { engineError, invalidField } from './errors.ts'
import { ID_DIGEST_CHARS } from './limits.ts'
import type { RequestMessage } from './wire.ts'

/** Found before anything else: the gateway of a deployment forwards the request to the place of this session. */
export const sessionKeyOf = async (context: RouteContext): Promise<Key | Denial> => {
  const { request, access, ports, rawBody } = context
  const type = request.headers.get('content-type')
  if (type !== null && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    return new Denial('unsupported_encoding', 'Send the message as application/json.', {}, typeDetails)
  const body = await rawBody.object()
  const message = isDenial(body) ? body : decodeRequest(body)
  if (isDenial(message)) return message
  const { context: { session_id: named, task_hint: hint, continuation } = {} } = message.request
  const claim =
    !named && continuation?.continuation_token ? await openContinuation(ports, continuation.continuation_token) : null
  // A token knows its session. Whether the caller may open it is checked as if the caller had named it.
  if (claim?.key.tenant === access.tenant && (await isOpenTo(access, claim.key.id))) return claim.key
  const line = await lineId(context, message)
  if (isDenial(line)) return line
  const id = await conversationId(line, message)
  if (!(await isOpenTo(access, id))) return notFound()
  // A procedure that nobody has defined stays a hint for the agent.
  const procedure = hint?.sop_id && ports.agents.has(hint.sop_id) ? hint.sop_id : null
  const wanted = hint?.plugin_id || procedure
  if (wanted !== null && !ports.agents.has(wanted))
    return invalidField('context.task_hint.plugin_id', 'There is no agent of this name.')
  const own = await findOwn(context, id)
  if (isDenial(own)) return own
  // A new conversation begins where its line is: that is where it is branched.
  const parent = own || id === line ? null : await findOwn(context, line)
  if (isDenial(parent) || (parent && !(await isOpenTo(access, line)))) return notFound()
  const found = own ?? parent
  if (found && wanted !== null && wanted !== found.agent)
    return engineError('session_conflict', 'The session is of another agent than task_hint.plugin_id names.')
  return found ?? { tenant: access.tenant, agent: wanted ?? ports.defaultAgent, id }
}

/** The session that the turn is for: a conversation that is not there yet is branched from its line, which the row has found. */
export const turnKeyOf = async (
  call: RouteCall<unknown, unknown>,
  found: Key,
  message: RequestMessage,
): Promise<Key | Denial> => {
  const { session_id: named, conversation_id: conversation } = message.request.context ?? {}
  if (!conversation || !(named || message.request_id)) return found
  const line = await lineId(call, message)
  if (isDenial(line) || found.id !== line) return isDenial(line) ? line : found
  const id = await conversationId(line, message)
  if (id === line) return found
  const parent = await call.ports.host.find(found)
  if (!parent) return notFound()
  const { settings } = parent.state.lifecycle
  const answer = await call.ports.host.branch(found, parent.state.head, id, {
    ...(await ownerField(call.access)),
    settings: withoutWorkspace(settings),
  })
  // Somebody else may have branched it in the meantime: the conversation is there, and that is enough.
  if (isRefusal(answer) && answer.refused !== 'session_exists') return refusalDenial(answer)
  return { ...found, id }
}

/** A folder belongs to one session: a branch on this wire has none. */
const withoutWorkspace = (settings: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => !name.startsWith('workspace_') && name !== 'task_graph_id'),
  )

/** The oldest session of this id that the caller may open; null = there is none. */
const findOwn = async ({ access, ports }: RouteContext, id: string): Promise<Key | null | Denial> => {
  const taken = await ports.directory.find(access.tenant, id)
  const mine = await openableSessions(access, taken)
  return mine.length < taken.length ? notFound() : (mine[0]?.key ?? null)
}

const typeDetails = { details: { field: 'content-type' } }

/** A ticket for one session opens no other, and neither does the id of another user. */
const isOpenTo = async (access: Access, id: string): Promise<boolean> =>
  !(await isOtherUsersId(access, id)) && (access.sessionId === null || access.sessionId === id)

/** An id that does not fit our grammar is hashed, and never refused. */
export const idFrom = async (id: string): Promise<string> => (isId(id) ? id : `oh-${await idDigest(id)}`)

/** The key that makes a repeated request one with the first; null = every request is another. */
export const requestKeyOf = async (
  request: Request,
  { request_id: id }: RequestMessage,
): Promise<string | null | Denial> => {
  if (id) return idFrom(id)
  const key = idempotencyKey(request)
  return isDenial(key) ? invalidField('idempotency-key', key.message) : key
}

/** The line of conversation: the session that is named, else one that is made from the request's id, else a new one. */
const lineId = async (
  { request, access }: Pick<RouteContext, 'request' | 'access'>,
  message: RequestMessage,
): Promise<string | Denial> => {
  const named = message.request.context?.session_id
  if (named) return idFrom(named)
  const key = await requestKeyOf(request, message)
  if (isDenial(key)) return key
  const seed = message.request_id ? ['request', message.request_id] : ['new', key ?? crypto.randomUUID()]
  // Users may choose the same ids, and each gets another session.
  return `oh-${await idDigest([access.tenant, access.user, ...seed])}`
}

/** `<session>:<conversation>`. An id that names its owner cannot have more behind it. */
const conversationId = async (line: string, { request }: RequestMessage): Promise<string> => {
  const conversation = request.context?.conversation_id
  if (!conversation) return line
  // A colon in the second part could make two pairs one id.
  const part = conversation.includes(':') ? `oh-${await idDigest(conversation)}` : await idFrom(conversation)
  const id = `${line}:${part}`
  return isId(id) && ownerFromId(line) === null ? id : `oh-${await idDigest([line, conversation])}`
}

const idDigest = async (value: unknown): Promise<string> =>
  hex(await digest(canonicalJson(value))).slice(0, ID_DIGEST_CHARS)
