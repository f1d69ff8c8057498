// Ids for new sessions: random, or made from the caller's key, so that asking again finds what was made.
import { canonicalJson } from '../../kernel/json.ts'
import type { Access } from '../http/access/authenticate.ts'
import { digest, hex } from '../http/access/secrets.ts'

/** With null as its last part there is no key to make it from. */
export const newSessionId = async (prefix: string, from: readonly unknown[]): Promise<string> =>
  from.at(-1) === null
    ? `${prefix}-${crypto.randomUUID()}`
    : `${prefix}-${hex(await digest(canonicalJson(from))).slice(0, 32)}`

/** Two users may choose the same key; each has a session of its own by it. */
export const userPart = ({ user }: Pick<Access, 'user'>): readonly string[] => (user === null ? [] : [user])
