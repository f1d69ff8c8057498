// Idempotency-Key: a repeated command has no second effect and gets the first answer.

import { canonicalJson, hashText } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import type { IdempotencyKey } from '@bridle/kernel/session/inbox'
import { badRequest, type Denial, isDenial } from '../denials/denial.ts'

/** Accepts the key plain or quoted as a structured field; null if there is none. */
export const idempotencyKey = (request: Pick<Request, 'headers'>): string | null | Denial => {
  const header = request.headers.get('idempotency-key')
  if (header === null) return null
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header
  return isId(key) ? key : badRequest('The Idempotency-Key is not a valid id.')
}

/** The command's hash detects a key reused for another command, which is a conflict. */
export const commandIdOf = (request: Request, command: unknown): IdempotencyKey | null | Denial => {
  const commandId = idempotencyKey(request)
  return isDenial(commandId) ? commandId : commandKey(commandId, command)
}

export const commandKey = (commandId: string | null | undefined, body: unknown): IdempotencyKey | null =>
  commandId == null ? null : { commandId, bodyHash: hashText(canonicalJson(body)) }
