import { type Artifact, artifactOf } from '../../projections/indexes/artifacts.ts'
import type { Session } from '../session.ts'

type ReadableSession = Pick<Session, 'state' | 'read' | 'readChunkText'>

/** Null if unknown or not text. `publishedSeq` locates artifacts that left the index. */
export const readArtifactText = async (
  session: ReadableSession,
  artifactId: string,
  publishedSeq?: number,
): Promise<string | null> => {
  const recent = session.state.artifacts.latest.findLast(({ id }) => id === artifactId)
  const artifact = recent ?? (publishedSeq === undefined ? null : await artifactAt(session, publishedSeq))
  if (artifact?.id !== artifactId || artifact.encoding) return null
  const chunks: string[] = []
  for (let seq = artifact.firstChunkSeq; seq < artifact.seq; seq++) chunks.push(await session.readChunkText(seq))
  return chunks.join('')
}

const artifactAt = async (session: ReadableSession, seq: number): Promise<Artifact | null> => {
  const [event] = await session.read(seq - 1, 1)
  return event?.type === 'artifact_published' && !event.hearsay ? artifactOf(event) : null
}
