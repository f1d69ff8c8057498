// Where a session can be taken up again, and what it has handed to others: read from the log by the numbers in the fold.

import { type AnyEvent, eventId } from '../../../kernel/event.ts'
import type { Json } from '../../../kernel/json.ts'
import { SUMMARY_CHARS_MAX } from '../../../kernel/limits.ts'
import { cursorText } from '../../../kernel/positions/cursor.ts'
import { withIncarnations } from '../../../kernel/positions/incarnation.ts'
import type { HarnessMessage } from '../../../kernel/projections/conversation/harness-state.ts'
import type { Session } from '../../../kernel/session/session.ts'
import { truncate } from '../../../kernel/text/truncate.ts'
import { RESUME_POINTS_MAX } from '../limits.ts'
import type { CheckpointSummary, SubagentStatus } from '../wire.ts'
import { eventsAt } from './channel.ts'

/** In the order of the log. */
export const resumePointsOf = async (session: Session) => {
  const { key, state, incarnations } = session
  const points = state.resumePoints.slice(-RESUME_POINTS_MAX)
  const events = await eventsAt(
    session,
    points.map(({ seq }) => seq),
  )
  const bySeq = new Map(events.map((event) => [event.seq, event]))
  return points.flatMap(({ kind, seq }) => {
    const event = bySeq.get(seq)
    if (!event) return []
    return [
      {
        kind,
        event_id: eventId(seq, incarnations.own),
        resume_cursor: withIncarnations({ resume_cursor: cursorText(kind, key.id, seq) }, key.id, incarnations)
          .resume_cursor,
        summary: truncate(summaryOf(event, state.conversation.messages), SUMMARY_CHARS_MAX),
        timestamp: new Date(event.at).toISOString(),
      },
    ]
  })
}

/** Of a turn, what was answered in it: one has to tell the turns apart. */
const summaryOf = (event: AnyEvent, messages: readonly HarnessMessage[]): string => {
  if (event.type === 'session_checkpoint') return event.payload.summary_text
  if (event.type === 'approval_required') return `${event.payload.tool_name}: ${event.payload.reason}`
  const turnId = event.type === 'turn_end' ? event.payload.turn_id : null
  const answer = messages.findLast(({ role, runId }) => role === 'assistant' && runId === turnId)
  return answer?.content.trim() || 'The turn was completed.'
}

/** Delegated work, each with all that was last said of it. */
export const subagentsOf = async (session: Session): Promise<readonly SubagentStatus[]> => {
  const known = Object.values(session.state.subagents)
  const places = new Set(known.flatMap(({ seq, firstSeq }) => [seq, firstSeq]))
  const events = await eventsAt(
    session,
    [...places].sort((a, b) => a - b),
  )
  const bySeq = new Map(events.map((event) => [event.seq, event]))
  const firsts = new Map(known.map(({ seq, firstSeq }) => [seq, bySeq.get(firstSeq)]))
  return events.flatMap((event) =>
    event.type === 'subagent_event' && firsts.has(event.seq)
      ? [
          {
            // The description of the work is said when it begins; its end need not repeat it.
            ...(firsts.get(event.seq)?.payload as { readonly [name: string]: Json } | undefined),
            ...(event.payload as { readonly [name: string]: Json }),
            agent_id: event.payload.agent_id,
            status: event.payload.status,
            event_id: eventId(event.seq, session.incarnations.own),
            updated_at: new Date(event.at).toISOString(),
          },
        ]
      : [],
  )
}

/** The newest first. */
export const checkpointsOf = ({ key, state, incarnations }: Session): readonly CheckpointSummary[] =>
  state.checkpoints.latest.toReversed().map(({ seq, at, sequence, type, status, summary, cursor }) => ({
    session_id: key.id,
    sequence,
    checkpoint_type: type,
    status,
    summary_text: summary,
    ...withIncarnations({ resume_cursor: cursor }, key.id, incarnations),
    event_id: eventId(seq, incarnations.own),
    timestamp: new Date(at).toISOString(),
  }))
