// The session that belongs to a user.
import { isId } from '../../kernel/event.ts'
import type { Access } from './access.ts'
import { digest, hex } from './secrets.ts'

const PREFIX = 'user:'

/** A name that is no id is hashed into one. */
export const userSession = async (userId: string): Promise<string> => {
  const plain = `${PREFIX}${userId}`
  return isId(plain) ? plain : `${PREFIX}${hex(await digest(userId))}`
}

/** A credential that names a user opens no other user's session, by whatever route. */
export const isForeign = async ({ user }: Access, sessionId: string): Promise<boolean> =>
  user !== null && sessionId.startsWith(PREFIX) && sessionId !== (await userSession(user))

/** Who did it, for the log: the user the credential names, else whoever the caller says it was. */
export const actorOf = ({ user }: Pick<Access, 'user'>, said?: string): { actor?: string } => {
  const actor = user ?? said
  return actor === undefined ? {} : { actor }
}
