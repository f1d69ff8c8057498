// The caller's own name for a command. Asked again by it, a command has no second effect, and the answer is the first one.
import { isId } from '../../../kernel/event.ts'
import { canonicalJson, hashText } from '../../../kernel/json.ts'
import type { IdempotencyKey } from '../../../kernel/session/session.ts'
import { badRequest, type Denial, isDenial } from '../router/denial.ts'

/** The caller's key, plain or in quotes as structured fields have it; null when the caller gave none. */
export const idempotencyKey = (request: Pick<Request, 'headers'>): string | null | Denial => {
  const given = request.headers.get('idempotency-key')
  if (given === null) return null
  const key = /^"(.*)"$/.exec(given)?.[1] ?? given
  return isId(key) ? key : badRequest('The Idempotency-Key is not a valid id.')
}

/** Null when the caller gave no key. `asked` is all that makes the command this one. */
export const commandIdOf = (request: Request, asked: unknown): IdempotencyKey | null | Denial => {
  const commandId = idempotencyKey(request)
  return isDenial(commandId) ? commandId : commandKey(commandId, asked)
}

/** The key under which a session keeps the answer to a command; null when the caller sent no id. */
export const commandKey = (commandId: string | null | undefined, body: unknown): IdempotencyKey | null =>
  commandId == null ? null : { commandId, bodyHash: hashText(canonicalJson(body)) }
