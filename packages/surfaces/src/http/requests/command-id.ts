// The caller's id for a command (`Idempotency-Key`). A command that is repeated with its id has no second effect, and gets the
// first answer again.

import { canonicalJson, hashText } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import { badRequest, type Denial, isDenial } from '../denials/denial.ts'

/** The caller's key, plain or in the quotes of a structured field; null = the request has none. */
export const idempotencyKey = (request: Pick<Request, 'headers'>): string | null | Denial => {
  const header = request.headers.get('idempotency-key')
  if (header === null) return null
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header
  return isId(key) ? key : badRequest('The Idempotency-Key is not a valid id.')
}

/** Null = the request has no key. A repeated key with another command is a conflict, so the id comes with the command's hash. */
export const commandIdOf = (request: Request, command: unknown): IdempotencyKey | null | Denial => {
  const commandId = idempotencyKey(request)
  return isDenial(commandId) ? commandId : commandKey(commandId, command)
}

/** The key under which a session keeps the answer to a command; null when the caller sent no id. */
export const commandKey = (commandId: string | null | undefined, body: unknown): IdempotencyKey | null =>
  commandId == null ? null : { commandId, bodyHash: hashText(canonicalJson(body)) }
