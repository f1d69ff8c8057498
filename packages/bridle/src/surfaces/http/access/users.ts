// Users: whose sessions a credential may open, and how what it does is signed.
import { isId, type Key } from '../../../kernel/event.ts'
import { mayOpen, ownerFromId, ownerOf } from '../../../kernel/owner.ts'
import type { SessionEntry } from '../../../kernel/ports/store.ts'
import type { Session } from '../../../kernel/session/session.ts'
import type { Access } from './authenticate.ts'
import { digest, hex } from './secrets.ts'

/** The session that belongs to a user by its id. A name that is no id is hashed into one. */
export const userSessionId = async (userId: string): Promise<string> => {
  const plain = `user:${userId}`
  return isId(plain) ? plain : `user:${hex(await digest(userId))}`
}

/** The credential's user, written like the owner of a session; null = it is no user's. */
export const viewerOf = async ({ user }: Pick<Access, 'user'>): Promise<string | null> =>
  user === null ? null : userSessionId(user)

/** For commands that may make a session, and for lists: whose it becomes, and whose are shown. */
export const ownerField = async (access: Pick<Access, 'user'>): Promise<{ owner?: string }> => {
  const owner = await viewerOf(access)
  return owner === null ? {} : { owner }
}

export const viewerField = async (access: Pick<Access, 'user'>): Promise<{ viewer?: string }> => {
  const viewer = await viewerOf(access)
  return viewer === null ? {} : { viewer }
}

/** By the id alone: a credential that names a user opens no other user's session, whether or not it is there. */
export const isOtherUsersId = async (access: Access, sessionId: string): Promise<boolean> =>
  !mayOpen(await viewerOf(access), ownerFromId(sessionId))

/** Those that the credential may open. */
export const openableSessions = async (
  access: Access,
  found: readonly SessionEntry[],
): Promise<readonly SessionEntry[]> => {
  const viewer = await viewerOf(access)
  return found.filter(({ owner }) => mayOpen(viewer, owner))
}

/** The session is there, and another user's. A credential without a user need not ask. */
export const isOtherUsersSession = async (
  access: Access,
  key: Key,
  directory: { find(tenant: string, id: string): Promise<readonly SessionEntry[]> },
): Promise<boolean> => {
  const viewer = await viewerOf(access)
  if (viewer === null) return false
  const found = await directory.find(key.tenant, key.id)
  return found.some(({ key: { agent }, owner }) => agent === key.agent && !mayOpen(viewer, owner))
}

/**
 * Whoever watches a session that is not there yet does not know whose it will be: `end` is called before the first word of
 * it is told, if it becomes another user's. Returns how to forget it.
 */
export const guardOwnership = (viewer: string | null, session: Session, end: () => void): (() => void) => {
  if (viewer === null) return () => {}
  const look = () => {
    if (!mayOpen(viewer, ownerOf(session.key, session.state))) end()
  }
  if (!session.exists) return session.onCreated(look)
  look()
  return () => {}
}

/** Who did it, for the log: the user the credential names, else whoever the caller says it was. */
export const actorField = ({ user }: Pick<Access, 'user'>, said?: string): { actor?: string } => {
  const actor = user ?? said
  return actor === undefined ? {} : { actor }
}
