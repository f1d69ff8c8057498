// A line is the session that the shell names. Each conversation in it is a line of its own.

import { canonicalJson } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import { ownerFromId } from '@bridle/kernel/owner'
import type { RequestMessage } from '@bridle/wire/openharness/wire'
import { digest, hex } from '../http/access/secrets.ts'
import { type Denial, isDenial } from '../http/denials/denial.ts'
import { idempotencyKey } from '../http/requests/command-id.ts'
import type { RouteContext } from '../http/router/route.ts'
import { invalidField } from './errors.ts'

/** 128 bits: two ids of one tenant never collide. */
const ID_DIGEST_CHARS = 32

/** An id that does not match Bridle's grammar is hashed rather than refused. */
export const idFrom = async (id: string): Promise<string> => (isId(id) ? id : `oh-${await idDigest(id)}`)

/** Null: every request is a new one. */
export const requestKeyOf = async (
  request: Request,
  { request_id: id }: RequestMessage,
): Promise<string | null | Denial> => {
  if (id) return idFrom(id)
  const key = idempotencyKey(request)
  return isDenial(key) ? invalidField('idempotency-key', key.message) : key
}

/** The named session, otherwise one derived from the request id, otherwise a new one. */
export const namedLineId = async (
  { request, access }: Pick<RouteContext, 'request' | 'access'>,
  message: RequestMessage,
): Promise<string | Denial> => {
  const named = message.request.context?.session_id
  if (named) return idFrom(named)
  const key = await requestKeyOf(request, message)
  if (isDenial(key)) return key
  const seed = message.request_id ? ['request', message.request_id] : ['new', key ?? crypto.randomUUID()]
  // Two users who choose the same id get separate sessions.
  return `oh-${await idDigest([access.tenant, access.user, ...seed])}`
}

/** Candidate ids of a sub-session. The hash is used if the plain id is invalid or taken. */
export interface PartIds {
  readonly plain: string | null
  readonly hashed: string
}

/** `<line>:<conversation>` */
export const conversationIds = async (line: string, conversation: string): Promise<PartIds> => {
  // Another colon could make two pairs collide.
  const part = conversation.includes(':') ? `oh-${await idDigest(conversation)}` : await idFrom(conversation)
  return { plain: joined(line, part), hashed: `oh-${await idDigest([line, conversation])}` }
}

/** `<line>:<agent>` */
export const agentIds = async (line: string, agent: string): Promise<PartIds> => ({
  plain: agent.includes(':') ? null : joined(line, agent),
  hashed: `oh-${await idDigest([line, 'agent', agent])}`,
})

/** An id that encodes its owner cannot be extended: it would name another owner. */
const joined = (line: string, part: string): string | null => {
  const id = `${line}:${part}`
  return isId(id) && ownerFromId(line) === null ? id : null
}

const idDigest = async (value: unknown): Promise<string> =>
  hex(await digest(canonicalJson(value))).slice(0, ID_DIGEST_CHARS)
