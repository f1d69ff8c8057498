// A session as the HTTP wires show it: one answer with the names of both documents that describe it.
import { eventId } from '../../kernel/event.ts'
import { health } from '../../kernel/projections/health.ts'
import { sessionState } from '../../kernel/rules/session-state.ts'
import type { Session } from '../../kernel/session.ts'
import { statusOf } from '../../kernel/state.ts'

export const sessionDetail = ({ key, state }: Session) => {
  const { lifecycle: life, approvals } = state
  const status = statusOf(state)
  return {
    ...sessionState(key, state),
    id: key.id,
    sessionId: key.id,
    agent: key.agent,
    kind: life.kind,
    status,
    title: life.title,
    createdAt: new Date(life.createdAt).toISOString(),
    updatedAt: new Date(state.at).toISOString(),
    created_at: new Date(life.createdAt).toISOString(),
    lastEventId: eventId(state.head),
    queued: life.queue.length,
    runId: life.run?.runId ?? null,
    lastError: life.lastError,
    approvals: Object.values(approvals.open).map(
      ({ id, kind, tool, toolCallId, reason, arguments: args, expiresAt }) => ({
        id,
        kind,
        toolName: tool,
        toolCallId,
        reason,
        args,
        expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      }),
    ),
    messages: state.conversation.messages,
    health: health(state.health, status, state.at),
  }
}
