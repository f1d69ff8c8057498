// A session with everything that a page about it shows.

import * as v from 'valibot'
import type { AgentInfo } from '../../../../kernel/agent-info.ts'
import type { Session } from '../../../../kernel/session/session.ts'
import type { SessionDetail } from '../../wire.ts'
import { artifactsOf } from '../artifact-list.ts'
import { sessionDetail } from '../detail.ts'
import { checkpointsOf, resumePointsOf, subagentsOf } from '../resume-points.ts'
import { channelOf } from './channel.ts'
import { reportsOf } from './reports.ts'

/** Names of parts that an answer leaves out. A name that this version does not know leaves out nothing. */
export const omitSchema = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',').map((name) => name.trim())),
  ),
)

/** `agent` is null where the server no longer has it. */
export const wholeSession = async (
  session: Session,
  agent: AgentInfo | null,
  omit: readonly string[] = [],
): Promise<SessionDetail> => ({
  ...sessionDetail(session, agent),
  checkpoints: checkpointsOf(session),
  subagents: await subagentsOf(session),
  ...artifactsOf(session),
  ...(await reportsOf(session)),
  resume_points: await resumePointsOf(session),
  ...(!omit.includes('channel') && { channel: await channelOf(session) }),
})
