// The caller's own name for a command. Asked again by it, a command has no second effect, and the answer is the first one.
import { isId } from '../../kernel/event.ts'
import { canonical, hashText } from '../../kernel/json.ts'
import type { CommandId } from '../../kernel/session.ts'
import { badRequest } from './errors.ts'

/** Null when the caller gave none. `asked` is all that makes the command this one. */
export const commandIdOf = (request: Request, asked: unknown): CommandId | null | Response => {
  const commandId = request.headers.get('idempotency-key')
  if (commandId === null) return null
  if (!isId(commandId)) return badRequest('The Idempotency-Key is not a valid id.')
  return { commandId, bodyHash: hashText(canonical(asked)) }
}
