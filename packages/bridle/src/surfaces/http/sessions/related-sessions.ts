// Other sessions that an answer of one needs, where they may live elsewhere.
import type { Key } from '../../../kernel/event.ts'
import type { Directory } from '../../../kernel/ports/store.ts'
import type { Access } from '../access/authenticate.ts'
import { viewerField } from '../access/users.ts'
import { BACKGROUND_SESSIONS_MAX } from '../limits.ts'
import type { AppPorts } from '../router/app.ts'
import type { ArtifactSummary } from '../wire.ts'
import { artifactsOf } from './artifact-list.ts'

export interface RelatedSessions {
  readonly list: Directory['list']
  readonly find: Directory['find']
  /** Its id is that of a session that lives elsewhere, or did. */
  livesElsewhere(key: Key): Promise<boolean>
  /** The newest first. Rejects when it cannot be asked. */
  artifacts(key: Key): Promise<readonly ArtifactSummary[] | 'here'>
}

/** Artifacts of the background sessions below this one that the caller may open; one that cannot be asked is left out. */
export const backgroundArtifacts = async ({ directory, host, relatedSessions }: AppPorts, key: Key, access: Access) => {
  const filter = {
    parentId: key.id,
    kind: 'background',
    limit: BACKGROUND_SESSIONS_MAX,
    ...(await viewerField(access)),
  }
  const { sessions } = await (relatedSessions ?? directory).list(key.tenant, filter)
  const left = async (child: Key): Promise<readonly ArtifactSummary[]> => {
    const theirs = (await relatedSessions?.artifacts(child)) ?? 'here'
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
