// This session does not wait for approvals of its descendants: it only shows them and routes their answers.
import type { GivenAnswer } from '@bridle/events/answers'
import { omit, ownProperty, present } from '@bridle/events/json'
import type { ApprovalDecision } from '@bridle/events/schemas'
import { type Approval, type ApprovalChild, openApproval, shortAnswer } from './approvals.ts'
import type { Projection } from './projection.ts'
import type { SessionState } from './state.ts'

/** As many as a session can have open, so that a late or repeated answer still finds its session. */
const SETTLED_CHILD_APPROVALS_MAX = 100

export interface ChildApprovals {
  readonly open: { readonly [id: string]: ChildApproval }
  readonly settled: readonly SettledChildApproval[]
}

export interface ChildApproval extends Approval {
  readonly child: ApprovalChild
}

export interface SettledChildApproval extends Pick<ChildApproval, 'id' | 'kind' | 'child'>, GivenAnswer {
  readonly decision: ApprovalDecision
  readonly actor?: string
  readonly isActorClaimed?: true
  readonly reason?: string
}

export const childApprovals: Projection<ChildApprovals> = {
  initial: { open: {}, settled: [] },
  on: {
    approval_required: (state, event) => {
      const { child, request_id: id } = event.payload
      return child ? { ...state, open: { ...state.open, [id]: { ...openApproval(event), child } } } : state
    },
    approval_decided: (state, { payload }) => {
      const approval = ownProperty(state.open, payload.request_id)
      if (!payload.child || !approval) return state
      const { id, kind, child } = approval
      const settled: SettledChildApproval = {
        ...{ id, kind, child, decision: payload.decision },
        ...present({ actor: payload.actor, isActorClaimed: payload.actor_claimed, reason: payload.reason }),
        // Kept short: every notice to the parent repeats it.
        ...shortAnswer(payload),
      }
      return {
        open: omit(state.open, id),
        settled: [...state.settled.slice(1 - SETTLED_CHILD_APPROVALS_MAX), settled],
      }
    },
    // A branch has none of its parent's children.
    branched: () => childApprovals.initial,
    session_imported: () => childApprovals.initial,
  },
}

/** Null if no descendant has an approval with this id. */
export const childOfApproval = ({ open, settled }: ChildApprovals, id: string): ApprovalChild | null =>
  (ownProperty(open, id) ?? settled.findLast((each) => each.id === id))?.child ?? null

type ApprovalFolds = Pick<SessionState, 'approvals' | 'childApprovals'>

/** The session's own approvals first. */
export const allOpenApprovals = ({ approvals, childApprovals }: ApprovalFolds): readonly Approval[] =>
  [approvals, childApprovals].flatMap(({ open }) => Object.values(open))

export const findOpenApproval = ({ approvals, childApprovals }: ApprovalFolds, id: string): Approval | undefined =>
  ownProperty(approvals.open, id) ?? ownProperty(childApprovals.open, id)

export const findSettledApproval = (
  { approvals, childApprovals }: ApprovalFolds,
  id: string,
): Pick<SettledChildApproval, 'kind' | 'decision'> | undefined =>
  ownProperty(approvals.decided, id) ?? childApprovals.settled.findLast((each) => each.id === id)
