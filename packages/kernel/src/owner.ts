// A session `user:<name>` belongs to that user, any other to the user whose credential created it, and a branch to its parent's
// owner. Owners are written as such an id. Names that are not valid ids are hashed, as 64 hex digits after `user:`.
import type { Key } from './event.ts'
import { type DirectoryRow, parentIdOf } from './ports/directory.ts'
import type { SessionState } from './projections/state.ts'

const PREFIX = 'user:'

export const ownerFromId = (id: string): string | null => (id.startsWith(PREFIX) ? id : null)

/** Null if every user of the tenant may open the session. */
export const ownerOf = ({ id }: Pick<Key, 'id'>, { lifecycle }: Pick<SessionState, 'lifecycle'>): string | null =>
  ownerFromId(id) ?? lifecycle.owner

/** Older rows lack `owner`; the id may still name it. */
export const rowOwner = ({ id }: Pick<Key, 'id'>, row: DirectoryRow): string | null =>
  row.owner ?? ownerFromId(id) ?? ownerFromId(parentIdOf(row) ?? '')

/** `viewer`: user of a credential, written like an owner. Null for operators, who may open everything. */
export const mayOpen = (viewer: string | null, owner: string | null): boolean =>
  viewer === null || owner === null || viewer === owner
