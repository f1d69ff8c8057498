// Ids for new sessions: random, or made from the Idempotency-Key, so that a repeated request finds the session it created.
import { canonicalJson } from '../../kernel/json.ts'
import type { Access } from '../http/access/authenticate.ts'
import { digest, hex } from '../http/access/secrets.ts'

/** The last part is the Idempotency-Key; with null the id is random. */
export const newSessionId = async (prefix: string, from: readonly unknown[]): Promise<string> =>
  from.at(-1) === null
    ? `${prefix}-${crypto.randomUUID()}`
    : `${prefix}-${hex(await digest(canonicalJson(from))).slice(0, 32)}`

/** Users may choose the same key, and each gets another session. */
export const userPart = ({ user }: Pick<Access, 'user'>): readonly string[] => (user === null ? [] : [user])
