// The owner of a session. A session with the id `user:<name>` belongs to that user; any other one to the user whose credential
// created it, and a branch to the owner of its parent. An owner is written as the id of the user's own session, so that
// user names which are not valid ids, and are hashed, have one spelling. `user:` with 64 hex digits is always a hash.
import type { Key } from './event.ts'
import { type DirectoryRow, parentIdOf } from './ports/directory.ts'
import type { SessionState } from './projections/state.ts'

const PREFIX = 'user:'

/** The owner that the id names; null: none. */
export const ownerFromId = (id: string): string | null => (id.startsWith(PREFIX) ? id : null)

/** Null: the session has no owner, and every user of the tenant may open it. */
export const ownerOf = ({ id }: Pick<Key, 'id'>, { lifecycle }: Pick<SessionState, 'lifecycle'>): string | null =>
  ownerFromId(id) ?? lifecycle.owner

/** The owner in a directory row; older rows have only what the id names. */
export const rowOwner = ({ id }: Pick<Key, 'id'>, row: DirectoryRow): string | null =>
  row.owner ?? ownerFromId(id) ?? ownerFromId(parentIdOf(row) ?? '')

/** `viewer` is the user of a credential, written like an owner; null: an operator's credential, which opens everything. */
export const mayOpen = (viewer: string | null, owner: string | null): boolean =>
  viewer === null || owner === null || viewer === owner
