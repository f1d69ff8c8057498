import { eventId } from '@bridle/kernel/event'
import type { Artifact } from '@bridle/kernel/projections/indexes/artifacts'
import type { ArtifactSummary, SessionArtifacts } from '../http/wire.ts'
import type { SessionFacts } from './session-facts.ts'

/** The state holds only the newest artifacts, and counts the older ones. */
export const artifactsOf = (session: SessionFacts): SessionArtifacts => {
  const { count, latest } = session.state.artifacts
  const earlier = count - latest.length
  return { artifacts: latest.toReversed().map(summarizeIn(session)), ...(earlier > 0 && { earlierArtifacts: earlier }) }
}

export const summarizeIn =
  ({ incarnations }: SessionFacts) =>
  (artifact: Artifact) =>
    artifactSummary(artifact, incarnations.own)

const artifactSummary = (
  { id, name, kind, contentType, size, seq, at, speech }: Artifact,
  incarnation: number,
): ArtifactSummary => ({
  id,
  artifact_id: id,
  name,
  kind,
  artifact_type: kind,
  contentType,
  content_type: contentType,
  size,
  event_id: eventId(seq, incarnation),
  createdAt: new Date(at).toISOString(),
  created_at: new Date(at).toISOString(),
  ...(speech && {
    audio: {
      role: speech.role,
      run_id: speech.runId,
      message_id: speech.messageId,
      ms: speech.audioMs,
      ...(speech.isCut && { cut: true as const }),
    },
  }),
})
