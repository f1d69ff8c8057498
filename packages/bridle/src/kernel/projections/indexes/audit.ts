// The decisions about a session: which events are decisions, their text, and the numbers of the newest.

import { budgetNameText, crossedText, policyText } from '../../../words/budgets.ts'
import type { EventType } from '../../catalogue.ts'
import type { AnyEvent, Event } from '../../event.ts'
import { AUDIT_KEPT_MAX, SUMMARY_CHARS_MAX } from '../../limits.ts'
import { truncate } from '../../text/truncate.ts'
import type { Projection } from '../projection.ts'

export interface AuditRow {
  readonly seq: number
  readonly at: number
  readonly action: string
  readonly actor: string | null
  /** The caller supplied the name, since its credential has no user. */
  readonly actor_claimed?: true
  readonly summary: string
}

type AuditLine = readonly [action: string, text: string]

/** Only events that a client can see: a row names its event, and a client looks it up. */
const lines: { readonly [T in EventType]?: (event: Event<T>) => AuditLine } = {
  session_paused: ({ payload }) => ['paused', payload.reason ?? ''],
  session_resumed: ({ payload }) => ['resumed', payload.reason ?? ''],
  session_archived: ({ payload }) => ['archived', payload.reason ?? ''],
  session_unarchived: ({ payload }) => ['unarchived', payload.reason ?? ''],
  session_renamed: ({ payload }) => ['renamed', payload.title],
  cancel_requested: ({ payload }) => ['cancelled', payload.reason ?? ''],
  policy_set: ({ payload }) => ['policy_set', [payload.reason, policyText(payload.policy)].filter(Boolean).join(': ')],
  signal_received: ({ payload }) => ['signalled', payload.name],
  memory_decided: ({ payload: { decision, key, reason } }) => [
    `memory_${decision}`,
    reason ? `${key}: ${reason}` : key,
  ],
  branched: ({ payload }) => [
    'branched',
    [payload.reason, `from ${payload.parent.id} at ${payload.source_event_id}`].filter(Boolean).join(': '),
  ],
  session_imported: ({ payload }) => ['imported', `from ${payload.source.id}`],
  approval_required: ({ payload }) => ['approval_requested', `${payload.tool_name}: ${payload.reason}`],
  approval_applied: ({ payload: { decision = 'approved', request_id, reason } }) => [
    `approval_${decision}`,
    reason ? `${request_id}: ${reason}` : request_id,
  ],
  budget_crossed: ({ payload: { budget, limit, value } }) => ['budget_crossed', crossedText(budget, limit, value)],
  budget_raised: ({ payload }) => ['budget_raised', payload.budgets.map(budgetNameText).join(', ')],
  retry_scheduled: ({ payload }) => ['retry_scheduled', `attempt ${payload.attempt}: ${payload.reason}`],
  error: ({ payload }) => ['failed', payload.message],
}

/** Null if the event is no decision. */
export const auditRow = (event: AnyEvent): AuditRow | null => {
  const line = Object.hasOwn(lines, event.type) ? (lines[event.type] as (event: AnyEvent) => AuditLine)(event) : null
  if (!line) return null
  const [action, text] = line
  const { actor = null, actor_claimed } = event.payload as {
    readonly actor?: string | null
    readonly actor_claimed?: unknown
  }
  const claim = actor_claimed === true ? ({ actor_claimed } as const) : {}
  return { seq: event.seq, at: event.at, action, actor, ...claim, summary: truncate(text, SUMMARY_CHARS_MAX) }
}

/** Numbers of the newest decisions, oldest first. */
export type AuditSeqs = readonly number[]

const withAuditSeq = (state: AuditSeqs, { seq }: { readonly seq: number }): AuditSeqs => [
  ...state.slice(1 - AUDIT_KEPT_MAX),
  seq,
]

export const audit: Projection<AuditSeqs> = {
  initial: [],
  on: {
    ...(Object.fromEntries(Object.keys(lines).map((type) => [type, withAuditSeq])) as Projection<AuditSeqs>['on']),
    // Decisions about the parent do not count for the branch.
    branched: (_state, { seq }) => [seq],
  },
}
