import type { Memory } from '@bridle/kernel/projections/memory'
import type { ProposalSummary } from '../http/wire.ts'

/** Newest first. */
export const proposalsOf = ({ proposals }: Memory): ProposalSummary[] =>
  proposals.toReversed().map(({ id, key, contentType, size, reason, at, runId, decision }) => ({
    id,
    key: decision?.key ?? key,
    status: decision?.decision ?? 'pending',
    contentType,
    size,
    reason,
    runId,
    proposedAt: timeText(at),
    decidedAt: decision ? timeText(decision.at) : null,
    decidedBy: decision?.actor ?? null,
    decisionReason: decision?.reason ?? null,
  }))

export const openProposals = (memory: Memory): ProposalSummary[] =>
  proposalsOf(memory).filter(({ status }) => status === 'pending')

const timeText = (at: number): string => new Date(at).toISOString()
