// The user that a session belongs to. A session whose id is `user:<name>` is that user's by its name; any other belongs to the
// user whose credential made it, and a branch to the owner of the session it left. An owner is written as the id of the
// user's own session, so that names which are no ids have one spelling.
import type { Key } from './event.ts'
import { type DirectoryRow, parentIdOf } from './ports/store.ts'
import type { SessionState } from './projections/state.ts'

const PREFIX = 'user:'

/** The owner that the id itself names; null = it names none. */
export const ownerFromId = (id: string): string | null => (id.startsWith(PREFIX) ? id : null)

/** Null = it belongs to nobody, and every user of the tenant may open it. */
export const ownerOf = ({ id }: Pick<Key, 'id'>, { lifecycle }: Pick<SessionState, 'lifecycle'>): string | null =>
  ownerFromId(id) ?? lifecycle.owner

/** As a list knows it: rows from before owners were written have what the ids tell. */
export const rowOwner = ({ id }: Pick<Key, 'id'>, row: DirectoryRow): string | null =>
  row.owner ?? ownerFromId(id) ?? ownerFromId(parentIdOf(row) ?? '')

/** `viewer` is the user of a credential, written like an owner; null = the credential is no user's and opens everything. */
export const mayOpen = (viewer: string | null, owner: string | null): boolean =>
  viewer === null || owner === null || viewer === owner
