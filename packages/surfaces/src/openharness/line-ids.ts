// Ids of sessions. A line is the session that the shell names; each conversation in it is a line of its own.

import { canonicalJson } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import { ownerFromId } from '@bridle/kernel/owner'
import type { RequestMessage } from '@bridle/wire/openharness/wire'
import { digest, hex } from '../http/access/secrets.ts'
import { type Denial, isDenial } from '../http/denials/denial.ts'
import { idempotencyKey } from '../http/requests/command-id.ts'
import type { RouteContext } from '../http/router/route.ts'
import { invalidField } from './errors.ts'

/** Hexadecimal digits of an id that is made from another: with 128 bits two of one tenant never meet. */
const ID_DIGEST_CHARS = 32

/** An id that does not fit our grammar is hashed, and never refused. */
export const idFrom = async (id: string): Promise<string> => (isId(id) ? id : `oh-${await idDigest(id)}`)

/** The idempotency key of a request. Null: every request is a new one. */
export const requestKeyOf = async (
  request: Request,
  { request_id: id }: RequestMessage,
): Promise<string | null | Denial> => {
  if (id) return idFrom(id)
  const key = idempotencyKey(request)
  return isDenial(key) ? invalidField('idempotency-key', key.message) : key
}

/** The session that is named, else one that is made from the request's id, else a new one. */
export const namedLineId = async (
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

/** Candidate ids for a part of a line. The hash is used if the plain id is not valid or is taken. */
export interface PartIds {
  /** Null: not a valid id. */
  readonly plain: string | null
  readonly hashed: string
}

/** `<line>:<conversation>` */
export const conversationIds = async (line: string, conversation: string): Promise<PartIds> => {
  // A colon in the second part could make two pairs one id.
  const part = conversation.includes(':') ? `oh-${await idDigest(conversation)}` : await idFrom(conversation)
  return { plain: joined(line, part), hashed: `oh-${await idDigest([line, conversation])}` }
}

/** `<line>:<agent>` */
export const agentIds = async (line: string, agent: string): Promise<PartIds> => ({
  plain: agent.includes(':') ? null : joined(line, agent),
  hashed: `oh-${await idDigest([line, 'agent', agent])}`,
})

/** An id that names its owner cannot have more behind it: it would name another owner. */
const joined = (line: string, part: string): string | null => {
  const id = `${line}:${part}`
  return isId(id) && ownerFromId(line) === null ? id : null
}

const idDigest = async (value: unknown): Promise<string> =>
  hex(await digest(canonicalJson(value))).slice(0, ID_DIGEST_CHARS)
