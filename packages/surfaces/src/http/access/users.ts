import type { ActorField } from '@bridle/kernel/commands'
import { isId, type Key } from '@bridle/kernel/event'
import { mayOpen, ownerFromId, ownerOf } from '@bridle/kernel/owner'
import type { SessionEntry } from '@bridle/kernel/ports/directory'
import type { Session } from '@bridle/kernel/session/session'
import type { Access } from './authenticate.ts'
import { digest, hex } from './secrets.ts'

/** Names that look like hashes are hashed too. Otherwise a user could choose another user's hash as a name. */
const HASH = /^[0-9a-f]{64}$/

/** A user name that is not a valid id is hashed. */
export const userSessionId = async (userId: string): Promise<string> => {
  const plain = `user:${userId}`
  return isId(plain) && !HASH.test(userId) ? plain : `user:${hex(await digest(userId))}`
}

/** In the format of a session's owner; null if the credential has no user. */
export const viewerOf = async ({ user }: Pick<Access, 'user'>): Promise<string | null> =>
  user === null ? null : userSessionId(user)

export const ownerField = async (access: Pick<Access, 'user'>): Promise<{ owner?: string }> => {
  const owner = await viewerOf(access)
  return owner === null ? {} : { owner }
}

export const viewerField = async (access: Pick<Access, 'user'>): Promise<{ viewer?: string }> => {
  const viewer = await viewerOf(access)
  return viewer === null ? {} : { viewer }
}

/** Decides by the id alone, so that it does not reveal whether the session exists. */
export const isOtherUsersId = async (access: Access, sessionId: string): Promise<boolean> =>
  !mayOpen(await viewerOf(access), ownerFromId(sessionId))

export const openableSessions = async (
  access: Access,
  entries: readonly SessionEntry[],
): Promise<readonly SessionEntry[]> => {
  const viewer = await viewerOf(access)
  return entries.filter(({ owner }) => mayOpen(viewer, owner))
}

/** A credential without a user may open every session of its tenant. */
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

/** A session may be watched before it has an owner. Calls `end` before the first event if it becomes another user's. */
export const guardOwnership = (viewer: string | null, session: Session, end: () => void): (() => void) => {
  if (viewer === null) return () => {}
  const checkOwner = () => {
    if (!mayOpen(viewer, ownerOf(session.key, session.state))) end()
  }
  if (!session.exists) return session.onCreated(checkOwner)
  checkOwner()
  return () => {}
}

/** For the log: the credential's user, otherwise the caller's claimed name. */
export const actorField = ({ user }: Pick<Access, 'user'>, named?: string): ActorField => {
  if (user !== null) return { actor: user }
  return named === undefined ? {} : { actor: named, isActorClaimed: true }
}
