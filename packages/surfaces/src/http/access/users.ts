// Users: the sessions that a credential may open, and the actor that the log names for what it does.

import type { ActorField } from '@bridle/kernel/commands'
import { isId, type Key } from '@bridle/kernel/event'
import { mayOpen, ownerFromId, ownerOf } from '@bridle/kernel/owner'
import type { SessionEntry } from '@bridle/kernel/ports/directory'
import type { Session } from '@bridle/kernel/session/session'
import type { Access } from './authenticate.ts'
import { digest, hex } from './secrets.ts'

/** A name that looks like a hash is hashed, too. Otherwise a user could choose the hash of another name. */
const HASH = /^[0-9a-f]{64}$/

/** The id of the session that belongs to a user. A user name that is not a valid id is hashed. */
export const userSessionId = async (userId: string): Promise<string> => {
  const plain = `user:${userId}`
  return isId(plain) && !HASH.test(userId) ? plain : `user:${hex(await digest(userId))}`
}

/** The credential's user, written like the owner of a session; null = the credential names no user. */
export const viewerOf = async ({ user }: Pick<Access, 'user'>): Promise<string | null> =>
  user === null ? null : userSessionId(user)

/** The owner of a session that a command may create. */
export const ownerField = async (access: Pick<Access, 'user'>): Promise<{ owner?: string }> => {
  const owner = await viewerOf(access)
  return owner === null ? {} : { owner }
}

/** The user whose sessions a list shows. */
export const viewerField = async (access: Pick<Access, 'user'>): Promise<{ viewer?: string }> => {
  const viewer = await viewerOf(access)
  return viewer === null ? {} : { viewer }
}

/** Decides by the id alone: a credential of a user opens no other user's session, whether or not the session exists. */
export const isOtherUsersId = async (access: Access, sessionId: string): Promise<boolean> =>
  !mayOpen(await viewerOf(access), ownerFromId(sessionId))

export const openableSessions = async (
  access: Access,
  entries: readonly SessionEntry[],
): Promise<readonly SessionEntry[]> => {
  const viewer = await viewerOf(access)
  return entries.filter(({ owner }) => mayOpen(viewer, owner))
}

/** The session exists, and is another user's. A credential without a user may open every session of its tenant. */
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
 * A client may watch a session before it exists, when nobody knows its owner. If the session becomes another user's, `end` is
 * called before the first event is sent. Returns how to stop the guard.
 */
export const guardOwnership = (viewer: string | null, session: Session, end: () => void): (() => void) => {
  if (viewer === null) return () => {}
  const checkOwner = () => {
    if (!mayOpen(viewer, ownerOf(session.key, session.state))) end()
  }
  if (!session.exists) return session.onCreated(checkOwner)
  checkOwner()
  return () => {}
}

/** The actor for the log: the credential's user, else the name that the caller sent, which is a claim. */
export const actorField = ({ user }: Pick<Access, 'user'>, named?: string): ActorField => {
  if (user !== null) return { actor: user }
  return named === undefined ? {} : { actor: named, isActorClaimed: true }
}
