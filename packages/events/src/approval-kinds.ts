// Plain data, so that clients do not load the schema library.

import { ownProperty } from './json.ts'

export const APPROVAL_KINDS = ['tool', 'question', 'budget', 'unknown_outcome'] as const
export type ApprovalKind = (typeof APPROVAL_KINDS)[number]

interface ApprovalKindRow {
  /** `runner`: a run waits for the answer. `kernel`: the session acts on the answer. Durable runs and served calls also ask about unknown outcomes. */
  readonly asker: 'runner' | 'kernel'
  /** An approval can carry edited arguments, answers, or only the decision. */
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

/** Unknown and absent kinds are shown as tool approvals. */
export const approvalKindOf = (kind: string | null | undefined): ApprovalKind =>
  kind != null && ownProperty(approvalKinds, kind) ? (kind as ApprovalKind) : 'tool'
