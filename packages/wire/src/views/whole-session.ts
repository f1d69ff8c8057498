import type { AgentInfo } from '@bridle/kernel/agent-info'
import type { SessionDetail } from '../http/wire.ts'
import { artifactsOf } from './artifact-list.ts'
import { channelOf } from './channel.ts'
import { sessionDetail } from './detail.ts'
import { reportsOf } from './reports.ts'
import { checkpointsOf, resumePointsOf, subagentsOf } from './resume-points.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

/** `agent` is null if no server knows it any more. Unknown names in `omit` are ignored. */
export function* wholeSession(
  session: SessionFacts,
  agent: AgentInfo | null,
  omit: readonly string[] = [],
): EventLookup<SessionDetail> {
  return {
    ...sessionDetail(session, agent),
    checkpoints: checkpointsOf(session),
    subagents: yield* subagentsOf(session),
    ...artifactsOf(session),
    ...(yield* reportsOf(session)),
    resume_points: yield* resumePointsOf(session),
    ...(!omit.includes('channel') && { channel: yield* channelOf(session) }),
  }
}
