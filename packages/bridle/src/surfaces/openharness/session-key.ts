// The session of a request: the one that it names, else one that is made from its id, else a new one.
import { isId, type Key } from '../../kernel/event.ts'
import { canonicalJson } from '../../kernel/json.ts'
import type { Access } from '../http/access/authenticate.ts'
import { digest, hex } from '../http/access/secrets.ts'
import { isOtherUsersId, openableSessions } from '../http/access/users.ts'
import { idempotencyKey } from '../http/requests/command-id.ts'
import { Denial, isDenial, notFound } from '../http/router/denial.ts'
import type { RouteContext } from '../http/router/route.ts'
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
  const id = named ? await idFrom(named) : await newId(context, message)
  if (isDenial(id)) return id
  if (!(await isOpenTo(access, id))) return notFound()
  const wanted = hint?.plugin_id || null
  if (wanted !== null && !ports.agents.has(wanted))
    return invalidField('context.task_hint.plugin_id', 'There is no agent of this name.')
  const taken = await ports.directory.find(access.tenant, id)
  const mine = await openableSessions(access, taken)
  if (mine.length < taken.length) return notFound()
  const agent = mine[0]?.key.agent
  if (agent !== undefined && wanted !== null && wanted !== agent)
    return engineError('session_conflict', 'The session is of another agent than task_hint.plugin_id names.')
  return { tenant: access.tenant, agent: agent ?? wanted ?? ports.defaultAgent, id }
}

const typeDetails = { details: { field: 'content-type' } }

/** A ticket for one session opens no other, and neither does the id of another user. */
const isOpenTo = async (access: Access, id: string): Promise<boolean> =>
  !(await isOtherUsersId(access, id)) && (access.sessionId === null || access.sessionId === id)

/** An id that does not fit our grammar is hashed, and never refused. */
export const idFrom = async (id: string): Promise<string> => (isId(id) ? id : `oh-${await idDigest(id)}`)

/** Users may choose the same ids, and each gets another session. */
const newId = async ({ request, access }: RouteContext, message: RequestMessage): Promise<string | Denial> => {
  const key = idempotencyKey(request)
  if (isDenial(key)) return key
  const seed = message.request_id ? ['request', message.request_id] : ['new', key ?? crypto.randomUUID()]
  return `oh-${await idDigest([access.tenant, access.user, ...seed])}`
}

const idDigest = async (value: unknown): Promise<string> =>
  hex(await digest(canonicalJson(value))).slice(0, ID_DIGEST_CHARS)
