// The kernel owns the types.

import { BUDGETS, type BudgetName } from '@bridle/events/schemas'
import type { HealthSnapshot, RecoveryHint } from '@bridle/kernel/views/health-snapshot'
import type { HealthSummary } from '@bridle/kernel/views/row-detail'
import * as v from 'valibot'
import { auditEntrySchema } from './audit.ts'
import * as f from './fields.ts'

type Health = HealthSnapshot
type Item<L> = L extends readonly (infer T)[] ? T : never

const budgetName = v.picklist(BUDGETS)
const evidence = f.list(v.string(), 'The events that show it.')
const reason = f.text('The finding.')

const budgetSchema = f.kernelSchema<Item<Health['budget_pressure']['budgets']>>('Budget', 'A budget of the session.', {
  budget: f.oneOf(BUDGETS, 'The name of the budget.'),
  limit: f.amount('The limit.'),
  value: f.amount('The value so far.'),
  level: f.oneOf(['ok', 'high', 'crossed'], 'The level.'),
})

const budgetPressure = f.kernelSchema<Health['budget_pressure']>('BudgetPressure', 'How close the budgets are.', {
  level: f.oneOf(['none', 'ok', 'high', 'crossed'], 'The highest level of a budget; `none` = there are no budgets.'),
  budgets: f.list(budgetSchema, 'The budgets.'),
  running_since: f.nullableTime('The start of the current run, if there is a budget of runtime; null otherwise.'),
})

const riskSchema = f.kernelSchema<Item<Health['risk_flags']>>('RiskFlag', 'A risk, with the finding that raises it.', {
  flag: f.text('The risk.'),
  reason,
  evidence,
})

const penaltySchema = f.kernelSchema<Item<Health['penalties']>>('Penalty', 'A finding that lowered the score.', {
  points: f.amount('The points that it costs.'),
  reason,
  evidence,
})

const traceSchema = f.kernelSchema<Item<Health['memory_provenance']['latest']>>('MemoryTrace', 'A use of memory.', {
  kind: f.text('The kind.'),
  event_id: f.text('The event.'),
  summary: f.text('A line for people.'),
})

type LatestCheckpoint = NonNullable<Health['checkpoints']['latest']>
const checkpointSchema = f.kernelSchema<LatestCheckpoint>('LatestCheckpoint', 'The latest checkpoint.', {
  event_id: f.text('The event.'),
  checkpoint_type: f.text('The type.'),
  status: f.text('The status of the work.'),
  summary_text: f.text('A line for people.'),
})

type LatestArtifact = NonNullable<Health['artifacts']['latest']>
const artifactSchema = f.kernelSchema<LatestArtifact>('LatestArtifact', 'The latest artifact.', {
  event_id: f.text('The event.'),
  artifact_id: f.text("The artifact's id."),
  artifact_type: f.text('The kind.'),
  name: f.text('The name.'),
})

const recoveryHint = f.kernelSchema<RecoveryHint>('RecoveryHint', 'An action that an operator can take now.', {
  action: f.oneOf(['answer_approval', 'resume', 'pause', 'branch', 'submit', 'wait', 'cancel'], 'The action.'),
  label: f.text('The action in words.'),
  approval_request_id: f.optional(f.text('The approval to answer.')),
  resume_cursor: f.optional(f.text('The cursor to branch or resume from.')),
  until: f.optional(f.time('The time to wait for.')),
})

const enforcement = f.kernelSchema<Health['policy']['enforcement']>(
  'Enforcement',
  'The reaction to a crossed budget.',
  {
    action: f.oneOf(['request_approval', 'pause'], 'The action.'),
    status: f.oneOf(['off', 'armed', 'awaiting_approval', 'paused'], 'The status.'),
    crossed: f.list(budgetName, 'The crossed budgets.'),
    raised: f.described(
      v.record(budgetName, v.number()) as unknown as v.GenericSchema<{ readonly [B in BudgetName]?: number }>,
      'The limits that an operator granted. They replace the limits of the policy.',
    ),
  },
)

/** Caller-defined: budgets by name, and an action. */
const healthPolicy = f.nullable(f.anyObject('The health part of the policy; null = none.'))

export const healthSnapshotSchema = f.kernelSchema<HealthSnapshot>('HealthSnapshot', 'The health of a session.', {
  score: f.amount('The score, from 0 to 100.'),
  flags: f.list(v.string(), 'The risks.'),
  reasons: f.list(v.string(), 'The reasons for the score and the flags.'),
  hint: f.nullableText('Advice for people; null = none.'),
  risk_flags: f.list(riskSchema, 'Each flag with the findings that raise it and the events that show them.'),
  penalties: f.list(penaltySchema, 'The findings that lowered the score, each with its points.'),
  budget_pressure: budgetPressure,
  memory_provenance: f.kernelSchema<Health['memory_provenance']>('MemoryProvenance', 'The use of memory.', {
    retrievals: f.count('The number of retrievals.'),
    citations: f.count('The number of citations.'),
    proposals: f.count('The number of proposals.'),
    latest: f.list(traceSchema, 'The latest uses.'),
  }),
  checkpoints: f.kernelSchema<Health['checkpoints']>('CheckpointCount', 'The checkpoints, in short.', {
    count: f.count('The number of checkpoints.'),
    latest: f.nullable(f.reference(checkpointSchema, 'The latest checkpoint; null = none.')),
  }),
  artifacts: f.kernelSchema<Health['artifacts']>('ArtifactCount', 'The artifacts, in short.', {
    count: f.count('The number of artifacts.'),
    latest: f.nullable(f.reference(artifactSchema, 'The latest artifact; null = none.')),
  }),
  audit: f.list(auditEntrySchema, 'The newest acts of operators and of the server.'),
  recovery_hint: f.nullable(f.reference(recoveryHint, 'The action that an operator can take now; null = none.')),
  policy: f.kernelSchema<Health['policy']>('PolicyStatus', 'The policy, and what it does.', {
    health: healthPolicy as unknown as v.GenericSchema<Health['policy']['health']>,
    enforcement,
  }),
})

export const healthSummarySchema = f.kernelSchema<HealthSummary>('HealthSummary', 'The health, as lists show it.', {
  score: f.amount('The score, from 0 to 100.'),
  flags: f.list(v.string(), 'The risks.'),
  hint: f.nullableText('Advice for people; null = none.'),
  budget_pressure: budgetPressure,
  recovery_action: f.nullableText('The action that an operator can take now; null = none.'),
})
