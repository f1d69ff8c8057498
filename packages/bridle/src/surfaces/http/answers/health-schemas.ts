// The health of a session, whole and as a list shows it.
import * as v from 'valibot'
import { BUDGETS, type BudgetName } from '../../../kernel/schemas.ts'
import type { HealthSnapshot, RecoveryHint } from '../../../kernel/views/health-snapshot.ts'
import type { HealthSummary } from '../wire.ts'
import {
  amount,
  answerSchema,
  anyObject,
  count,
  list,
  nullableText,
  nullableTime,
  text,
  time,
} from './answer-schema.ts'

type BudgetPressure = HealthSnapshot['budget_pressure']
type Enforcement = HealthSnapshot['policy']['enforcement']
type Memory = HealthSnapshot['memory_provenance']

const budgetName = v.picklist(BUDGETS)
const budgetPressure = answerSchema<BudgetPressure>('BudgetPressure', {
  level: v.picklist(['none', 'ok', 'high', 'crossed']),
  budgets: list(
    answerSchema<BudgetPressure['budgets'][number]>('Budget', {
      budget: budgetName,
      limit: amount,
      value: amount,
      level: v.picklist(['ok', 'high', 'crossed']),
    }),
  ),
  running_since: nullableTime,
})

const recoveryHint = answerSchema<RecoveryHint>('RecoveryHint', {
  action: v.picklist(['answer_approval', 'resume', 'pause', 'branch', 'submit', 'wait', 'cancel']),
  label: text,
  approval_request_id: v.optional(text),
  resume_cursor: v.optional(text),
  until: v.optional(time),
})

export const auditEntrySchema = answerSchema<HealthSnapshot['audit'][number]>('AuditEntry', {
  event_id: text,
  timestamp: time,
  action: text,
  actor: nullableText,
  actor_claimed: v.optional(v.literal(true)),
  summary: text,
  imported: v.optional(v.literal(true)),
})

/** The health part of a policy is the caller's own object: budgets by name, and an action. */
const healthPolicy = anyObject as unknown as v.GenericSchema<NonNullable<HealthSnapshot['policy']['health']>>

export const healthSnapshotSchema = answerSchema<HealthSnapshot>('HealthSnapshot', {
  score: amount,
  flags: list(text),
  reasons: list(text),
  hint: nullableText,
  risk_flags: list(
    answerSchema<HealthSnapshot['risk_flags'][number]>('RiskFlag', { flag: text, reason: text, evidence: list(text) }),
  ),
  penalties: list(
    answerSchema<HealthSnapshot['penalties'][number]>('Penalty', {
      points: amount,
      reason: text,
      evidence: list(text),
    }),
  ),
  budget_pressure: budgetPressure,
  memory_provenance: answerSchema<Memory>('MemoryProvenance', {
    retrievals: count,
    citations: count,
    proposals: count,
    latest: list(answerSchema<Memory['latest'][number]>('MemoryTrace', { kind: text, event_id: text, summary: text })),
  }),
  checkpoints: answerSchema<HealthSnapshot['checkpoints']>('CheckpointCount', {
    count,
    latest: v.nullable(
      answerSchema<NonNullable<HealthSnapshot['checkpoints']['latest']>>('LatestCheckpoint', {
        event_id: text,
        checkpoint_type: text,
        status: text,
        summary_text: text,
      }),
    ),
  }),
  artifacts: answerSchema<HealthSnapshot['artifacts']>('ArtifactCount', {
    count,
    latest: v.nullable(
      answerSchema<NonNullable<HealthSnapshot['artifacts']['latest']>>('LatestArtifact', {
        event_id: text,
        artifact_id: text,
        artifact_type: text,
        name: text,
      }),
    ),
  }),
  audit: list(auditEntrySchema),
  recovery_hint: v.nullable(recoveryHint),
  policy: answerSchema<HealthSnapshot['policy']>('PolicyStatus', {
    health: v.nullable(healthPolicy),
    enforcement: answerSchema<Enforcement>('Enforcement', {
      action: v.picklist(['request_approval', 'pause']),
      status: v.picklist(['off', 'armed', 'awaiting_approval', 'paused']),
      crossed: list(budgetName),
      raised: v.record(budgetName, amount) as unknown as v.GenericSchema<{ readonly [B in BudgetName]?: number }>,
    }),
  }),
})

export const healthSummarySchema = answerSchema<HealthSummary>('HealthSummary', {
  score: amount,
  flags: list(text),
  hint: nullableText,
  budget_pressure: budgetPressure,
  recovery_action: nullableText,
})

export const healthExample: HealthSnapshot = {
  score: 100,
  flags: [],
  reasons: [],
  hint: null,
  risk_flags: [],
  penalties: [],
  budget_pressure: { level: 'none', budgets: [], running_since: null },
  memory_provenance: { retrievals: 0, citations: 0, proposals: 0, latest: [] },
  checkpoints: { count: 0, latest: null },
  artifacts: { count: 0, latest: null },
  audit: [],
  recovery_hint: null,
  policy: {
    health: null,
    enforcement: { action: 'request_approval', status: 'off', crossed: [], raised: {} },
  },
}
