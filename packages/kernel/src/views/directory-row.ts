// Lists show sessions from these rows, without a fold.

import { present } from '@bridle/events/json'
import { HEARTBEAT_MS } from '@bridle/events/limits'
import type { Key } from '../event.ts'
import { ownerOf } from '../owner.ts'
import type { DirectoryRow, OpenApproval } from '../ports/directory.ts'
import { FIRST_INCARNATIONS, type Incarnations } from '../positions/incarnation.ts'
import { type Approval, type Approvals, riskLevelOf } from '../projections/approvals.ts'
import type { Lifecycle } from '../projections/lifecycle-state.ts'
import type { Steps } from '../projections/reports/steps.ts'
import type { SessionState } from '../projections/state.ts'
import { questionFields } from '../question-request.ts'
import { truncate } from '../text/truncate.ts'
import { healthSnapshot, healthSummary } from './health-snapshot.ts'
import { countsOf, type ListedCounts, listedCounts } from './listed-counts.ts'
import type { HealthSummary, KeptFacts } from './row-detail.ts'
import { keptFacts } from './session-fields.ts'
import { currentStep, modelOf, retryAtOf, usageSummary } from './work-progress.ts'

/** A page has 500 rows, and a message between Durable Objects is limited to 32 MiB. */
export const ROW_TEXT_CHARS_MAX = 2_000
/** Larger arguments are only in the session. */
const ROW_ARGUMENTS_CHARS_MAX = 16_000

/** All inputs of a row except its times. A row is built from these alone and rewritten when one changes, so it is never stale. */
export interface RowInputs
  extends KeptFacts,
    ListedCounts,
    Pick<Lifecycle, 'kind' | 'title' | 'createdAt' | 'parent' | 'owner' | 'isArchived'> {
  readonly openApprovals: Approvals['open']
  readonly settledApprovals: Approvals['settled']
  readonly queued: number
  readonly totalTokens: number
  readonly costUsd: number | null
  readonly steps: Steps
  readonly model: string | null
  readonly retryAt: number | null
  readonly incarnation: number
  readonly health: PublishedHealth
}

interface PublishedHealth {
  readonly hash: string | null
  readonly summary: HealthSummary
}

export interface RowSnapshot {
  readonly row: DirectoryRow
  readonly inputs: RowInputs
}

/** Returns `last` if nothing has changed, so that tokens write no rows. */
export const nextRow = (
  key: Key,
  state: SessionState,
  last: RowSnapshot | null,
  now: number,
  logs: Incarnations = FIRST_INCARNATIONS,
): RowSnapshot => {
  const inputs = rowInputs(key, state, last?.inputs ?? null, logs)
  const lastBeat = (last && heartbeatOf(last.row)) ?? 0
  const heartbeatAt = Math.max(lastBeat, inputs.status === 'running' ? now : state.health.activeAt) || null
  if (last && isSame(inputs, last.inputs) && (heartbeatAt ?? 0) < lastBeat + HEARTBEAT_MS) return last
  return { inputs, row: rowOf(inputs, { updatedAt: state.at, heartbeatAt }) }
}

const rowInputs = (key: Key, state: SessionState, last: RowInputs | null, logs: Incarnations): RowInputs => {
  const { lifecycle: life, approvals } = state
  const facts = keptFacts(state)
  const { total_tokens, cost_usd } = usageSummary(state)
  return {
    ...facts,
    ...listedCounts(state),
    kind: life.kind,
    title: life.title,
    createdAt: life.createdAt,
    parent: life.parent,
    owner: ownerOf(key, state),
    isArchived: life.isArchived,
    openApprovals: approvals.open,
    settledApprovals: approvals.settled,
    queued: life.queue.length,
    totalTokens: total_tokens,
    costUsd: cost_usd,
    steps: state.steps,
    model: modelOf(state),
    retryAt: retryAtOf(state),
    incarnation: logs.own,
    health: publishedHealth(key, state, facts.status, last),
  }
}

/** Every change of the snapshot is published, so an unchanged hash means an unchanged summary. */
const publishedHealth = (
  key: Key,
  state: SessionState,
  status: DirectoryRow['status'],
  last: RowInputs | null,
): PublishedHealth => {
  const hash = state.health.publishedHash
  if (last && last.health.hash === hash) return last.health
  return { hash, summary: healthSummary(healthSnapshot(key, state, status, state.at)) }
}

export const isSame = (a: RowInputs, b: RowInputs): boolean =>
  (Object.keys(a) as (keyof RowInputs)[]).every((name) => a[name] === b[name])

export const rowOf = (
  inputs: RowInputs,
  { updatedAt, heartbeatAt }: { readonly updatedAt: number; readonly heartbeatAt: number | null },
): DirectoryRow => {
  const { kind, status, createdAt, parent, owner, attempts, maxRetries, expiresAt, endedAt, retryAt, model } = inputs
  const title = brief(inputs.title)
  return {
    kind,
    status,
    title,
    createdAt,
    updatedAt,
    parent,
    owner,
    ...(inputs.isArchived && { isArchived: true }),
    approvals: inboxOf(inputs, Object.values(inputs.openApprovals)),
    ...(inputs.settledApprovals.length > 0 && {
      settled: inputs.settledApprovals.map(({ risk, ...entry }) => ({
        ...entry,
        ...riskField({ ...entry, risk }),
        title,
        ...present({ parentSessionId: startedBy(inputs) }),
      })),
    }),
    detail: {
      attempts,
      maxRetries,
      expiresAt,
      lastError: inputs.lastError && brief(inputs.lastError),
      endedAt,
      parentSessionId: inputs.parentSessionId,
      queued: inputs.queued,
      ...countsOf(inputs),
      heartbeatAt,
      usage: { total_tokens: inputs.totalTokens, cost_usd: inputs.costUsd },
      step: currentStep(inputs.steps),
      model: model && brief(model),
      retryAt,
      ...present({
        branchSourceEventId: inputs.branchSourceEventId ?? undefined,
        branchResumeCursor: inputs.branchResumeCursor ?? undefined,
      }),
      // Lists know the incarnation only from rows.
      ...(inputs.incarnation > 1 && { incarnation: inputs.incarnation }),
      health: inputs.health.summary,
    },
  }
}

export const heartbeatOf = ({ detail: { heartbeatAt } }: DirectoryRow): number | null => heartbeatAt ?? null

/** The oldest approvals include their arguments, as far as they fit. */
const inboxOf = (inputs: RowInputs, open: readonly Approval[]): readonly OpenApproval[] => {
  const { title } = inputs
  let room = ROW_ARGUMENTS_CHARS_MAX
  return open.map((approval) => {
    const { id, kind, tool, toolCallId, reason, arguments: args, requestedAt, expiresAt, effect } = approval
    const shown = { arguments: args, ...questionFields(approval) }
    const chars = JSON.stringify(shown).length
    const fits = chars <= room
    if (fits) room -= chars
    return {
      id,
      kind,
      tool: brief(tool),
      toolCallId: brief(toolCallId),
      reason: brief(reason),
      ...(fits ? shown : { arguments: null }),
      title: brief(title),
      isCut: !fits || [tool, toolCallId, reason, title].some((text) => text.length > ROW_TEXT_CHARS_MAX),
      requestedAt,
      expiresAt,
      ...present({ effect, parentSessionId: startedBy(inputs) }),
      ...riskField(approval),
    }
  })
}

/** Undefined for branches, which have another kind of parent. */
const startedBy = ({ parent, parentSessionId }: RowInputs): string | undefined =>
  parent ? undefined : (parentSessionId ?? undefined)

const riskField = (approval: Pick<Approval, 'risk' | 'effect'>): Pick<OpenApproval, 'risk'> =>
  present({ risk: riskLevelOf(approval) ?? undefined })

const brief = (text: string): string => truncate(text, ROW_TEXT_CHARS_MAX)
