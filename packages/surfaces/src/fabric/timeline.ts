import type { Json, JsonObject } from '@bridle/events/json'
import { type AnyEvent, eventId, type Key } from '@bridle/kernel/event'
import { withoutCallId } from '@bridle/kernel/ids'
import { eventWithIncarnations, FIRST_INCARNATIONS, type Incarnations } from '@bridle/kernel/positions/incarnation'
import { childField, givenAnswer, requestFields } from '@bridle/kernel/question-request'
import { toolOutcomeOf } from '@bridle/kernel/tool-outcome'
import type { AgentEvent, ApprovalEntry, HistoryEntry } from '@bridle/wire/fabric/wire'
import { agentEvent } from './codec.ts'

export interface TimelineDraft {
  readonly entries: HistoryEntry[]
  readonly events: AgentEvent[]
  readonly approvals: ApprovalEntry[]
}

type HistoryEntryDraft = { readonly type: HistoryEntry['type']; readonly [name: string]: Json | undefined }

/** `events` are in order. The end of a call or approval completes its entry in place. */
export const extendTimeline = (
  timeline: TimelineDraft,
  key: Key,
  events: readonly AnyEvent[],
  logs: Incarnations = FIRST_INCARNATIONS,
): void => {
  for (const logged of events) {
    const event = eventWithIncarnations(logged, key, logs)
    const shown = agentEvent(key, event, logs)
    if (shown) timeline.events.push(shown)
    if (event.hearsay) continue
    const entry = entryOf(event)
    if (entry)
      timeline.entries.push({ id: eventId(event.seq, logs.own), timestamp: new Date(event.at).toISOString(), ...entry })
    completeEntries(timeline, event)
  }
}

const entryOf = (event: AnyEvent): HistoryEntryDraft | null => {
  switch (event.type) {
    case 'prompt_queued':
      return { type: 'prompt', runId: event.payload.run_id, text: event.payload.text }
    case 'completed':
      return { type: 'turn', runId: event.run, status: 'completed', result: event.payload.result ?? null }
    case 'error':
      return { type: 'turn', runId: event.run, status: 'failed', error: event.payload.message }
    case 'cancel_requested':
      return { type: 'turn', runId: event.payload.run_id, status: 'cancelled' }
    case 'tool_call':
      return {
        type: 'tool_call',
        runId: event.run,
        toolCallId: event.payload.tool_call_id,
        toolName: event.payload.name,
        args: withoutCallId(event.payload.arguments),
        status: 'running',
      }
    case 'session_checkpoint':
      return {
        type: 'checkpoint',
        checkpointType: event.payload.checkpoint_type,
        status: event.payload.status,
        summary: event.payload.summary_text,
        cursor: event.payload.resume_cursor ?? null,
      }
    default:
      return null
  }
}

const completeEntries = ({ entries, approvals }: TimelineDraft, event: AnyEvent): void => {
  if (event.type === 'tool_outcome') {
    const { tool_call_id, status, result } = event.payload
    const at = entries.findLastIndex(
      (each) => each.type === 'tool_call' && each.toolCallId === tool_call_id && each.runId === event.run,
    )
    const call = entries[at]
    if (call)
      entries[at] = {
        ...call,
        status,
        ...(result !== undefined && { result }),
        outcome: toolOutcomeOf(event.payload) as Json,
      }
  }
  if (event.type === 'approval_required') {
    const { request_id, tool_call_id, tool_name, reason, arguments: args, expires_at, child } = event.payload
    approvals.push({
      id: request_id,
      ...(requestFields(event.payload) as { readonly kind: string } & JsonObject),
      status: 'pending',
      toolCallId: tool_call_id,
      toolName: tool_name,
      reason,
      args: withoutCallId(args ?? {}),
      requestedAt: new Date(event.at).toISOString(),
      expiresAt: expires_at ?? null,
      ...(child && { child: childField(child) }),
    })
  }
  if (event.type === 'approval_applied') {
    const at = approvals.findLastIndex(({ id }) => id === event.payload.request_id)
    const approval = approvals[at]
    const { decision, actor, actor_claimed, reason } = event.payload
    if (!approval) return
    approvals[at] = {
      ...approval,
      status: decision ?? 'approved',
      actor: actor ?? null,
      ...(actor_claimed && { actorClaimed: true }),
      decisionReason: reason ?? null,
      ...(givenAnswer(event.payload) as JsonObject | null),
      resolvedAt: new Date(event.at).toISOString(),
    }
  }
}
