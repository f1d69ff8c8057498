// The decisions about a session: their rows, and the numbers of the newest.

import { SUMMARY_CHARS_MAX } from '@bridle/events/limits'
import { AUDITED_TYPES, auditWords } from '@bridle/words/audit'
import { type AnyEvent, eventId } from '../../event.ts'
import { truncate } from '../../text/truncate.ts'
import type { Projection } from '../projection.ts'

/** Decisions in the fold's audit index; older ones are in the log. */
const AUDIT_KEPT_MAX = 1_000

export interface WireAuditRow {
  readonly event_id: string
  readonly timestamp: string
  readonly action: string
  readonly actor: string | null
  /** The caller supplied the name, since its credential has no user. Absent = the credential has this user, or there is no name. */
  readonly actor_claimed?: true
  readonly summary: string
  /** An imported file says so: it was not done on this server. Absent = it was. */
  readonly imported?: true
}

export interface AuditRow extends Pick<WireAuditRow, 'action' | 'actor' | 'actor_claimed' | 'summary'> {
  readonly seq: number
  readonly at: number
}

/** Null if the event is not a decision. */
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

/** Numbers of the newest decisions, oldest first. */
export type AuditSeqs = readonly number[]

const withAuditSeq = (state: AuditSeqs, { seq }: { readonly seq: number }): AuditSeqs => [
  ...state.slice(1 - AUDIT_KEPT_MAX),
  seq,
]

export const audit: Projection<AuditSeqs> = {
  initial: [],
  on: {
    ...(Object.fromEntries(AUDITED_TYPES.map((type) => [type, withAuditSeq])) as Projection<AuditSeqs>['on']),
    // Decisions about the parent do not count for the branch.
    branched: (_state, { seq }) => [seq],
  },
}
