// Sessions below a session. An answer about a chat shows their artifacts, and they may live in another process.
import type { Key } from '@bridle/kernel/event'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { ArtifactSummary } from '@bridle/wire/http/wire'
import { artifactsOf } from '@bridle/wire/views/artifact-list'
import type { AppPorts } from '../../app.ts'
import type { Access } from '../access/authenticate.ts'
import { viewerField } from '../access/users.ts'

/** Background sessions whose artifacts are listed with a chat, the newest: each is opened. */
const BACKGROUND_SESSIONS_MAX = 20

export interface RelatedSessions {
  readonly list: Directory['list']
  readonly find: Directory['find']
  /** Whether another process has, or had, a session of this id. */
  livesElsewhere(key: Key): Promise<boolean>
  /** The artifacts of a session, newest first. Rejects when the process of the session does not answer. */
  artifacts(key: Key): Promise<readonly ArtifactSummary[] | 'here'>
}

/** Artifacts of the background sessions below this one that the caller may open. A session that does not answer is left out. */
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
