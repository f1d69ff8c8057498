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
  if (commandId === null || isDenial(commandId)) return commandId
  return { commandId, bodyHash: hashText(canonicalJson(asked)) }
}
