// The kinds of approvals, a row for each. Plain data: clients have it without the schema library.

import { ownProperty } from './json.ts'

export const APPROVAL_KINDS = ['tool', 'question', 'budget', 'unknown_outcome'] as const
export type ApprovalKind = (typeof APPROVAL_KINDS)[number]

interface ApprovalKindRow {
  /** `runner`: a run waits for the answer. `kernel`: the session asks, and acts on the answer. A durable run may also ask about an unknown outcome. */
  readonly asker: 'runner' | 'kernel'
  /** An approval can carry edited arguments, answers, or the decision alone. */
  readonly takes: 'arguments' | 'answers' | 'decision'
}

export const approvalKinds = {
  tool: { asker: 'runner', takes: 'arguments' },
  question: { asker: 'runner', takes: 'answers' },
  budget: { asker: 'kernel', takes: 'decision' },
  unknown_outcome: { asker: 'kernel', takes: 'decision' },
} as const satisfies { readonly [K in ApprovalKind]: ApprovalKindRow }

/** Kinds whose answer always goes to the run. */
export type RunnerApprovalKind = {
  [K in ApprovalKind]: (typeof approvalKinds)[K]['asker'] extends 'runner' ? K : never
}[ApprovalKind]

/** A kind that this version does not know is shown as the approval of a tool, and so is an absent one. */
export const approvalKindOf = (kind: string | null | undefined): ApprovalKind =>
  kind != null && ownProperty(approvalKinds, kind) ? (kind as ApprovalKind) : 'tool'
