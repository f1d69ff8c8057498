// The directory's row of a session: what lists show without a fold.
import type { Row } from './ports.ts'
import { health } from './projections/health.ts'
import { type SessionState, statusOf } from './state.ts'

/** The same row when nothing it shows has changed, so that streaming tokens writes none. */
export const rowOf = (state: SessionState, last: { row: Row; state: SessionState } | null): Row => {
  const status = statusOf(state)
  if (last && status === last.row.status && sameSubject(state, last.state)) return last.row
  const { lifecycle: life, approvals } = state
  const { score, flags } = health(state.health, status, state.at)
  return {
    kind: life.kind,
    status,
    title: life.title,
    createdAt: life.createdAt,
    updatedAt: state.at,
    parent: life.parent,
    approvals: Object.values(approvals.open).map(({ id, tool, reason, requestedAt, expiresAt }) => ({
      id,
      tool,
      reason,
      requestedAt,
      expiresAt,
    })),
    detail: {
      attempts: life.attempts,
      maxRetries: life.maxRetries,
      expiresAt: life.expiresAt,
      lastError: life.lastError,
      endedAt: life.endedAt,
      parentSessionId: life.parentSessionId,
      queued: life.queue.length,
      messages: state.conversation.messages.length,
      health: { score, flags: [...flags] },
    },
  }
}

const sameSubject = (a: SessionState, b: SessionState): boolean =>
  a.approvals.open === b.approvals.open &&
  a.health.told === b.health.told &&
  a.lifecycle.title === b.lifecycle.title &&
  a.lifecycle.queue === b.lifecycle.queue &&
  a.lifecycle.attempts === b.lifecycle.attempts &&
  a.lifecycle.endedAt === b.lifecycle.endedAt &&
  a.lifecycle.lastError === b.lifecycle.lastError &&
  a.lifecycle.policy === b.lifecycle.policy &&
  a.conversation.messages.length === b.conversation.messages.length
