// Other sessions that an answer of one needs, where they may live elsewhere.
import type { Key } from '../../../kernel/event.ts'
import type { Directory } from '../../../kernel/ports/store.ts'
import type { Access } from '../access/authenticate.ts'
import { viewerFor } from '../access/users.ts'
import type { AppPorts } from '../router/app.ts'
import { artifactsOf, type ListedArtifact } from './artifact-list.ts'

export interface Relatives {
  readonly list: Directory['list']
  readonly find: Directory['find']
  /** Its id is that of a session that lives elsewhere, or did. */
  isElsewhere(key: Key): Promise<boolean>
  /** The newest first. Rejects when it cannot be asked. */
  artifacts(key: Key): Promise<readonly ListedArtifact[] | 'here'>
}

/** Sessions looked through, the newest: each is opened. */
const BACKGROUND_MAX = 20

/** Artifacts of the background sessions below this one that the caller may open; one that cannot be asked is left out. */
export const backgroundArtifacts = async ({ directory, host, relatives }: AppPorts, key: Key, access: Access) => {
  const filter = { parentId: key.id, kind: 'background', limit: BACKGROUND_MAX, ...(await viewerFor(access)) }
  const { sessions } = await (relatives ?? directory).list(key.tenant, filter)
  const left = async (child: Key): Promise<readonly ListedArtifact[]> => {
    const theirs = (await relatives?.artifacts(child)) ?? 'here'
    if (theirs !== 'here') return theirs
    const session = await host.find(child)
    return session ? artifactsOf(session).artifacts : []
  }
  const found = await Promise.all(
    sessions.map(async ({ key: child }) => {
      const artifacts = await left(child).catch(() => [])
      return artifacts.map((artifact) => ({ ...artifact, session_id: child.id }))
    }),
  )
  return found.flat()
}
