// The state holds event numbers; the events are read from the log.

import type { Json } from '@bridle/events/json'
import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import { type AnyEvent, eventId } from '@bridle/kernel/event'
import { cursorText } from '@bridle/kernel/positions/cursor'
import { withIncarnations } from '@bridle/kernel/positions/incarnation'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import { truncate } from '@bridle/kernel/text/truncate'
import type { CheckpointSummary, ResumePoint, SubagentStatus } from '../http/wire.ts'
import type { EventLookup, SessionFacts } from './session-facts.ts'

/** Each resume point costs a read. */
const RESUME_POINTS_MAX = 100

/** In log order. */
export function* resumePointsOf({ key, state, incarnations }: SessionFacts): EventLookup<readonly ResumePoint[]> {
  const points = state.resumePoints.slice(-RESUME_POINTS_MAX)
  const events = yield points.map(({ seq }) => seq)
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

/** A turn is summarized by its answer, so that readers can tell turns apart. */
const summaryOf = (event: AnyEvent, messages: readonly HarnessMessage[]): string => {
  if (event.type === 'session_checkpoint') return event.payload.summary_text
  if (event.type === 'approval_required') return `${event.payload.tool_name}: ${event.payload.reason}`
  const turnId = event.type === 'turn_end' ? event.payload.turn_id : null
  const answer = messages.findLast(({ role, runId }) => role === 'assistant' && runId === turnId)
  return answer?.content.trim() || 'The turn was completed.'
}

export function* subagentsOf({ state, incarnations }: SessionFacts): EventLookup<readonly SubagentStatus[]> {
  const subagents = Object.values(state.subagents)
  const seqs = new Set(subagents.flatMap(({ seq, firstSeq }) => [seq, firstSeq]))
  const events = yield [...seqs].sort((a, b) => a - b)
  const bySeq = new Map(events.map((event) => [event.seq, event]))
  const firsts = new Map(subagents.map(({ seq, firstSeq }) => [seq, bySeq.get(firstSeq)]))
  return events.flatMap((event) =>
    event.type === 'subagent_event' && firsts.has(event.seq)
      ? [
          {
            // Only the first report has to describe the work.
            ...(firsts.get(event.seq)?.payload as { readonly [name: string]: Json } | undefined),
            ...(event.payload as { readonly [name: string]: Json }),
            agent_id: event.payload.agent_id,
            status: event.payload.status,
            event_id: eventId(event.seq, incarnations.own),
            updated_at: new Date(event.at).toISOString(),
          },
        ]
      : [],
  )
}

/** Newest first. */
export const checkpointsOf = ({ key, state, incarnations }: SessionFacts): readonly CheckpointSummary[] =>
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
