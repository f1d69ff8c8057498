// The directory's row of a session: lists show it without a fold.

import type { Key } from '../event.ts'
import { present } from '../json.ts'
import { HEARTBEAT_MS, ROW_ARGUMENTS_CHARS_MAX, ROW_TEXT_CHARS_MAX } from '../limits.ts'
import { ownerOf } from '../owner.ts'
import type { DirectoryRow, OpenApproval } from '../ports/directory.ts'
import { FIRST_INCARNATIONS, type Incarnations } from '../positions/incarnation.ts'
import { type Approval, riskLevelOf } from '../projections/approvals.ts'
import { isTerminal, type SessionState, statusOf } from '../projections/state.ts'
import { truncate } from '../text/truncate.ts'
import { healthSnapshot, healthSummary } from './health-snapshot.ts'
import { currentStep, modelOf, retryAtOf, usageSummary } from './work-progress.ts'

/** A row, and the state that it shows. */
export interface RowSnapshot {
  readonly row: DirectoryRow
  readonly state: SessionState
}

/** Returns the same row when nothing in it has changed, so that a stream of tokens writes no rows. */
export const directoryRowOf = (
  key: Key,
  state: SessionState,
  last: RowSnapshot | null,
  now: number,
  logs: Incarnations = FIRST_INCARNATIONS,
): DirectoryRow => {
  const status = statusOf(state)
  const lastBeat = (last && heartbeatOf(last.row)) ?? 0
  const heartbeatAt = Math.max(lastBeat, status === 'running' ? now : state.health.activeAt) || null
  const beats = last && (heartbeatAt ?? 0) >= (heartbeatOf(last.row) ?? 0) + HEARTBEAT_MS
  if (last && !beats && status === last.row.status && isSameSubject(state, last.state)) return last.row
  const { lifecycle: life, approvals } = state
  const model = modelOf(state)
  return {
    kind: life.kind,
    status,
    title: brief(life.title),
    createdAt: life.createdAt,
    updatedAt: state.at,
    parent: life.parent,
    owner: ownerOf(key, state),
    ...(life.isArchived && { isArchived: true }),
    approvals: inboxOf(life.title, Object.values(approvals.open)),
    ...(approvals.settled.length > 0 && {
      settled: approvals.settled.map((entry) => ({ ...entry, ...riskField(entry), title: brief(life.title) })),
    }),
    detail: {
      attempts: life.attempts,
      maxRetries: life.maxRetries,
      expiresAt: life.expiresAt,
      lastError: life.lastError && brief(life.lastError),
      endedAt: isTerminal(state) ? life.endedAt : null,
      parentSessionId: life.parentSessionId,
      queued: life.queue.length,
      messages: state.conversation.messages.length,
      heartbeatAt,
      usage: usageSummary(state),
      step: currentStep(state.steps),
      model: model && brief(model),
      retryAt: retryAtOf(state),
      ...(life.branch && {
        branchSourceEventId: life.branch.sourceEventId,
        branchResumeCursor: life.branch.resumeCursor,
      }),
      // A list that has nothing but rows learns the incarnation from here.
      ...(logs.own > 1 && { incarnation: logs.own }),
      health: healthSummary(healthSnapshot(key, state, status, state.at)),
    },
  }
}

/** The last sign of life of the run, as the row says. */
export const heartbeatOf = ({ detail: { heartbeatAt } }: DirectoryRow): number | null =>
  typeof heartbeatAt === 'number' ? heartbeatAt : null

/** Open approvals as an inbox shows them. The oldest ones have their arguments, as far as those fit into a row. */
const inboxOf = (title: string, open: readonly Approval[]): readonly OpenApproval[] => {
  let room = ROW_ARGUMENTS_CHARS_MAX
  return open.map((approval) => {
    const { id, kind, tool, toolCallId, reason, arguments: args, requestedAt, expiresAt, effect } = approval
    const chars = JSON.stringify(args).length
    const fits = chars <= room
    if (fits) room -= chars
    return {
      id,
      kind,
      tool: brief(tool),
      toolCallId: brief(toolCallId),
      reason: brief(reason),
      arguments: fits ? args : null,
      title: brief(title),
      isCut: !fits || [tool, toolCallId, reason, title].some((text) => text.length > ROW_TEXT_CHARS_MAX),
      requestedAt,
      expiresAt,
      ...present({ effect }),
      ...riskField(approval),
    }
  })
}

const riskField = (approval: Pick<Approval, 'risk' | 'effect'>): Pick<OpenApproval, 'risk'> =>
  present({ risk: riskLevelOf(approval) ?? undefined })

/** A text as a row shows it; the session has the whole. */
const brief = (text: string): string => truncate(text, ROW_TEXT_CHARS_MAX)

const isSameSubject = (a: SessionState, b: SessionState): boolean =>
  a.approvals.open === b.approvals.open &&
  a.approvals.settled === b.approvals.settled &&
  a.health.publishedHash === b.health.publishedHash &&
  a.lifecycle.isArchived === b.lifecycle.isArchived &&
  a.lifecycle.title === b.lifecycle.title &&
  a.lifecycle.queue === b.lifecycle.queue &&
  a.lifecycle.attempts === b.lifecycle.attempts &&
  a.lifecycle.endedAt === b.lifecycle.endedAt &&
  a.lifecycle.lastError === b.lifecycle.lastError &&
  a.lifecycle.policy === b.lifecycle.policy &&
  modelOf(a) === modelOf(b) &&
  retryAtOf(a) === retryAtOf(b) &&
  a.usage === b.usage &&
  a.steps === b.steps &&
  a.conversation.messages.length === b.conversation.messages.length
