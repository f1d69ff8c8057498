// Health in the wire's spelling, as in `health_changed`. Without ages and running clocks, it only changes if something happened.

import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import type { BudgetName, Policy, SessionStatus } from '@bridle/events/schemas'
import { type RecoveryAction, recoveryWords } from '@bridle/words/health'
import { eventId, type Key } from '../event.ts'
import { cursorText } from '../positions/cursor.ts'
import { assessWithBudgets, type BudgetPressure } from '../projections/health/budgets.ts'
import { healthFold } from '../projections/health/health.ts'
import type { HealthReport } from '../projections/health/health-score.ts'
import type { HealthFold, MemoryProvenance } from '../projections/health/health-state.ts'
import { type Artifacts, artifacts } from '../projections/indexes/artifacts.ts'
import { type WireAuditRow, wireAuditRow } from '../projections/indexes/audit.ts'
import { type Checkpoints, checkpoints } from '../projections/indexes/checkpoints.ts'
import type { SessionState } from '../projections/state.ts'
import { truncate } from '../text/truncate.ts'
import type { HealthSummary } from './row-detail.ts'
import { iso } from './session-fields.ts'

export interface HealthSnapshot {
  readonly score: number
  readonly flags: readonly string[]
  readonly reasons: readonly string[]
  readonly hint: string | null
  readonly risk_flags: readonly {
    readonly flag: string
    readonly reason: string
    readonly evidence: readonly string[]
  }[]
  readonly penalties: readonly {
    readonly points: number
    readonly reason: string
    readonly evidence: readonly string[]
  }[]
  readonly budget_pressure: {
    readonly level: 'none' | BudgetPressure['level']
    readonly budgets: readonly BudgetPressure[]
    /** Set if there is a runtime budget, whose value only covers earlier runs. */
    readonly running_since: string | null
  }
  readonly memory_provenance: Omit<MemoryProvenance, 'latest'> & {
    readonly latest: readonly { readonly kind: string; readonly event_id: string; readonly summary: string }[]
  }
  readonly checkpoints: {
    readonly count: number
    readonly latest: {
      readonly event_id: string
      readonly checkpoint_type: string
      readonly status: string
      readonly summary_text: string
    } | null
  }
  readonly artifacts: {
    readonly count: number
    readonly latest: {
      readonly event_id: string
      readonly artifact_id: string
      readonly artifact_type: string
      readonly name: string
    } | null
  }
  readonly audit: readonly WireAuditRow[]
  readonly recovery_hint: RecoveryHint | null
  readonly policy: {
    readonly health: Policy['health'] | null
    readonly enforcement: {
      readonly action: 'request_approval' | 'pause'
      readonly status: 'off' | 'armed' | 'awaiting_approval' | 'paused'
      readonly crossed: readonly BudgetName[]
      /** Limits granted by an operator, which replace the policy's. */
      readonly raised: { readonly [budget in BudgetName]?: number }
    }
  }
}

/** Includes the arguments of the action's call. */
export interface RecoveryHint {
  readonly action: RecoveryAction
  readonly label: string
  readonly approval_request_id?: string
  readonly resume_cursor?: string
  readonly until?: string
}

export type HealthSources = Pick<
  SessionState,
  'health' | 'lifecycle' | 'approvals' | 'resumePoints' | 'checkpoints' | 'artifacts'
>

export const healthSnapshot = (key: Key, from: HealthSources, status: SessionStatus, now: number): HealthSnapshot => {
  const { health: fold, lifecycle: life } = from
  const { report: found, budgets } = assessWithBudgets(fold, life, status, now)
  const hasClock = budgets.some(({ budget }) => budget === 'max_runtime_minutes')
  return {
    score: found.score,
    flags: found.flags,
    reasons: found.reasons,
    hint: found.hint,
    risk_flags: found.findings.flatMap(({ flag, reason, evidenceSeq }) =>
      flag === null ? [] : [{ flag, reason, evidence: evidence(evidenceSeq) }],
    ),
    penalties: found.findings
      .filter(({ points }) => points > 0)
      .map(({ points, reason, evidenceSeq }) => ({ points, reason, evidence: evidence(evidenceSeq) })),
    budget_pressure: {
      level: worst(budgets),
      budgets,
      running_since: hasClock && fold.runningSince !== null ? iso(fold.runningSince) : null,
    },
    memory_provenance: {
      ...fold.memory,
      latest: fold.memory.latest.map(({ kind, seq, summary }) => ({ kind, event_id: eventId(seq), summary })),
    },
    checkpoints: { count: from.checkpoints.count, latest: latestCheckpoint(from.checkpoints) },
    artifacts: { count: from.artifacts.count, latest: latestArtifact(from.artifacts) },
    audit: fold.audit.map((row) => wireAuditRow(row, life.claimedSeq)),
    recovery_hint: recovery(key, from, status, found),
    policy: {
      health: life.policy.health ?? null,
      enforcement: {
        action: life.policy.health?.action ?? 'request_approval',
        status: enforcement(from, status),
        crossed: Object.keys(fold.crossed) as BudgetName[],
        raised: raisedLimits(fold, budgets),
      },
    },
  }
}

const raisedLimits = ({ granted, raised }: HealthFold, budgets: readonly BudgetPressure[]) =>
  Object.fromEntries(
    budgets.flatMap(({ budget, limit }) => (budget in granted || budget in raised ? [[budget, limit]] : [])),
  )

/** Readers assume this before the first `health_changed`. */
export const initialHealthSnapshot = (key: Key, from: HealthSources, now: number): HealthSnapshot =>
  healthSnapshot(
    key,
    { ...from, health: healthFold.initial, checkpoints: checkpoints.initial, artifacts: artifacts.initial },
    'idle',
    now,
  )

export const healthSummary = ({
  score,
  flags,
  hint,
  budget_pressure,
  recovery_hint,
}: HealthSnapshot): HealthSummary => ({
  score,
  flags: [...flags],
  hint,
  // Same shape as in the snapshot, so that clients render both alike.
  budget_pressure,
  recovery_action: recovery_hint?.action ?? null,
})

const latestCheckpoint = ({ latest }: Checkpoints): HealthSnapshot['checkpoints']['latest'] => {
  const last = latest.at(-1)
  if (!last) return null
  const { seq, type, status, summary } = last
  return { event_id: eventId(seq), checkpoint_type: type, status, summary_text: truncate(summary, SUMMARY_CHARS_MAX) }
}

const latestArtifact = ({ latest }: Artifacts): HealthSnapshot['artifacts']['latest'] => {
  const last = latest.at(-1)
  if (!last) return null
  const { seq, id, kind, name } = last
  return { event_id: eventId(seq), artifact_id: id, artifact_type: kind, name: truncate(name, SUMMARY_CHARS_MAX) }
}

const evidence = (seq: number | null): readonly string[] => (seq === null || seq === 0 ? [] : [eventId(seq)])

const worst = (budgets: readonly BudgetPressure[]): HealthSnapshot['budget_pressure']['level'] => {
  if (budgets.length === 0) return 'none'
  return (['crossed', 'high'] as const).find((level) => budgets.some((each) => each.level === level)) ?? 'ok'
}

const enforcement = ({ health: fold, lifecycle: life }: HealthSources, status: SessionStatus) => {
  if (!life.policy.health) return 'off'
  if (Object.keys(fold.crossed).length === 0) return 'armed'
  return status === 'paused' || status === 'awaiting_approval' ? status : 'armed'
}

/** Actions that unblock the session come before those that improve its score. */
const recovery = (
  key: Key,
  { lifecycle: life, approvals, resumePoints }: HealthSources,
  status: SessionStatus,
  { flags, hint }: HealthReport,
): RecoveryHint | null => {
  const approvalId = Object.keys(approvals.open)[0]
  const last = resumePoints.at(-1)
  const { run } = life
  const advise = (action: RecoveryAction, label: string = recoveryWords[action].sentence): RecoveryHint => ({
    action,
    label,
    ...(action === 'branch' && last && { resume_cursor: cursorText(last.kind, key.id, last.seq) }),
  })
  if (status === 'failed') return life.kind === 'chat' ? advise('submit') : advise('branch', hint ?? undefined)
  if (status === 'paused') return advise('resume')
  if (status === 'awaiting_approval' && approvalId !== undefined)
    return { ...advise('answer_approval', hint ?? undefined), approval_request_id: approvalId }
  if (flags.includes('stuck')) return advise('pause')
  if (status === 'recovering' && run?.retryAt != null) return { ...advise('wait'), until: iso(run.retryAt) }
  return hint === null ? null : advise('branch', hint)
}
