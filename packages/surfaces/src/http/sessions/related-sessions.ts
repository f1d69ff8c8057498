// Artifacts of background sessions are shown with their chat, and may live in another process.
import type { Key } from '@bridle/kernel/event'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { ArtifactSummary } from '@bridle/wire/http/wire'
import { artifactsOf } from '@bridle/wire/views/artifact-list'
import type { AppPorts } from '../../app.ts'
import type { Access } from '../access/authenticate.ts'
import { viewerField } from '../access/users.ts'

/** The newest ones. Each has to be opened. */
const BACKGROUND_SESSIONS_MAX = 20

export interface RelatedSessions {
  readonly list: Directory['list']
  readonly find: Directory['find']
  /** True if another process has, or had, a session with this id. */
  livesElsewhere(key: Key): Promise<boolean>
  /** Newest first. Rejects if the session's process does not answer. */
  artifacts(key: Key): Promise<readonly ArtifactSummary[] | 'here'>
}

/** Omits sessions that the caller may not open, or that do not answer. */
export const backgroundArtifacts = async ({ directory, host, relatedSessions }: AppPorts, key: Key, access: Access) => {
  const filter = {
    parentId: key.id,
    kind: 'background',
    limit: BACKGROUND_SESSIONS_MAX,
    ...(await viewerField(access)),
  }
  const { sessions } = await (relatedSessions ?? directory).list(key.tenant, filter)
  const artifactsOfChild = async (child: Key): Promise<readonly ArtifactSummary[]> => {
    const remote = (await relatedSessions?.artifacts(child)) ?? 'here'
    if (remote !== 'here') return remote
    const session = await host.find(child)
    return session ? artifactsOf(session).artifacts : []
  }
  const found = await Promise.all(
    sessions.map(async ({ key: child }) => {
      const artifacts = await artifactsOfChild(child).catch(() => [])
      return artifacts.map((artifact) => ({ ...artifact, session_id: child.id }))
    }),
  )
  return found.flat()
}
