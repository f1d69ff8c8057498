// The newest settled approvals of a session, for the list over all sessions: short, since every row of a directory carries them.
import type { Event } from '../../event.ts'
import { withoutCallId } from '../../ids.ts'
import { type JsonObject, present } from '../../json.ts'
import { SETTLED_APPROVALS_MAX, SETTLED_ARGUMENTS_CHARS_MAX, SETTLED_TEXT_CHARS_MAX } from '../../limits.ts'
import type { ApprovalDecision } from '../../schemas.ts'
import { truncate } from '../../text/truncate.ts'
import type { Approval } from '../approvals.ts'

/** A settled approval, short enough for a row. Its arguments are those that were approved; null = they are too large. */
export interface SettledEntry
  extends Pick<Approval, 'id' | 'kind' | 'tool' | 'toolCallId' | 'requestedAt' | 'expiresAt' | 'effect' | 'risk'> {
  /** The number of the event that settled it. */
  readonly seq: number
  readonly reason: string
  readonly arguments: JsonObject | null
  readonly isCut: boolean
  readonly decision: ApprovalDecision
  readonly decidedAt: number
  readonly decidedBy: string | null
  /** The caller supplied the name, since its credential has no user. */
  readonly decidedByClaimed?: true
  readonly decisionReason: string | null
  readonly isEdited: boolean
  /** A file says so: nobody decided it on this server. */
  readonly imported?: true
}

/** A question that another one replaces is not settled: the other one is. */
export const withSettled = (
  settled: readonly SettledEntry[],
  approval: Approval,
  event: Event<'approval_decided'>,
): readonly SettledEntry[] => {
  if (event.payload.superseded_by !== undefined) return settled
  return [...settled.slice(1 - SETTLED_APPROVALS_MAX), settledEntry(approval, event)]
}

const settledEntry = (approval: Approval, { seq, at, payload }: Event<'approval_decided'>): SettledEntry => {
  const { id, kind, tool, toolCallId, reason, requestedAt, expiresAt, effect, risk } = approval
  const args = payload.arguments ? withoutCallId(payload.arguments) : approval.arguments
  const fits = JSON.stringify(args).length <= SETTLED_ARGUMENTS_CHARS_MAX
  const texts = [tool, toolCallId, reason, payload.reason ?? '']
  return {
    ...{ seq, id, kind, requestedAt, expiresAt, ...present({ effect, risk }) },
    tool: brief(tool),
    toolCallId: brief(toolCallId),
    reason: brief(reason),
    arguments: fits ? args : null,
    isCut: !fits || texts.some((text) => text.length > SETTLED_TEXT_CHARS_MAX),
    decision: payload.decision,
    decidedAt: at,
    decidedBy: payload.actor ?? null,
    ...(payload.actor_claimed && { decidedByClaimed: true }),
    decisionReason: payload.reason === undefined ? null : brief(payload.reason),
    isEdited:
      payload.decision === 'approved' &&
      payload.arguments !== undefined &&
      payload.approved_digest !== approval.requestedDigest,
  }
}

const brief = (text: string): string => truncate(text, SETTLED_TEXT_CHARS_MAX)
