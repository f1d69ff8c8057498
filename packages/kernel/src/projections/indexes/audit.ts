import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import { AUDITED_TYPES, auditWords } from '@bridle/words/audit'
import { type AnyEvent, eventId } from '../../event.ts'
import { truncate } from '../../text/truncate.ts'
import type { Projection } from '../projection.ts'

/** Older decisions are read from the log. */
const AUDIT_KEPT_MAX = 1_000

export interface WireAuditRow {
  readonly event_id: string
  readonly timestamp: string
  readonly action: string
  readonly actor: string | null
  readonly actor_claimed?: true
  readonly summary: string
  /** Claimed by an imported file, not done on this server. */
  readonly imported?: true
}

export interface AuditRow extends Pick<WireAuditRow, 'action' | 'actor' | 'actor_claimed' | 'summary'> {
  readonly seq: number
  readonly at: number
}

export const auditRow = ({ type, payload, seq, at }: AnyEvent): AuditRow | null => {
  const words = auditWords(type, payload)
  if (!words) return null
  const { actor = null, actor_claimed } = payload as {
    readonly actor?: string | null
    readonly actor_claimed?: unknown
  }
  const claim = actor_claimed === true ? ({ actor_claimed } as const) : {}
  return { seq, at, action: words.action, actor, ...claim, summary: truncate(words.summary, SUMMARY_CHARS_MAX) }
}

/** Events before `claimedSeq` come from an imported file. */
export const wireAuditRow = (
  { seq, at, action, actor, actor_claimed, summary }: AuditRow,
  claimedSeq: number,
  incarnation?: number,
): WireAuditRow => ({
  event_id: eventId(seq, incarnation),
  timestamp: new Date(at).toISOString(),
  action,
  actor,
  summary,
  ...(actor_claimed && { actor_claimed }),
  ...(seq < claimedSeq && { imported: true }),
})

/** The newest decisions, in order. */
export type AuditSeqs = readonly number[]

const withAuditSeq = (state: AuditSeqs, { seq }: { readonly seq: number }): AuditSeqs => [
  ...state.slice(1 - AUDIT_KEPT_MAX),
  seq,
]

export const audit: Projection<AuditSeqs> = {
  initial: [],
  on: {
    ...(Object.fromEntries(AUDITED_TYPES.map((type) => [type, withAuditSeq])) as Projection<AuditSeqs>['on']),
    // Decisions about the parent do not concern the branch.
    branched: (_state, { seq }) => [seq],
  },
}
