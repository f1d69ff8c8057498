import type { BudgetName, SessionStatus } from '@bridle/events/schemas'
import { plural } from './amounts.ts'
import { budgetNameText } from './budgets.ts'
import { capitalized } from './fields.ts'

/** The flags of a health finding. */
export const HEALTH_FLAGS = ['stuck', 'budget', 'waiting', 'degraded'] as const
export type HealthFlag = (typeof HEALTH_FLAGS)[number]

export interface FindingFacts {
  readonly kind: 'chat' | 'background'
  readonly status: SessionStatus
  readonly overBudgets: readonly BudgetName[]
  /** A `budget_crossed` event reported one of them. */
  readonly isBudgetReported: boolean
  readonly degraded: string | null
  readonly retries: number
  readonly failedTools: number
  readonly loopWarnings: number
  readonly repeatedPlans: number
}

const reasons = {
  failed: () => 'the last turn failed',
  stuck: () => 'running without any event for five minutes',
  budget: ({ overBudgets }) => `over budget: ${overBudgets.map(budgetNameText).join(', ')}`,
  waiting: () => 'waiting for an approval',
  transport: ({ degraded }) => `degraded: ${degraded}`,
  retries: ({ retries }) => plural(retries, 'retry', 'retries'),
  tools: ({ failedTools }) => plural(failedTools, 'failed tool call'),
  loops: ({ loopWarnings }) => plural(loopWarnings, 'loop warning'),
  plans: ({ repeatedPlans }) => plural(repeatedPlans, 'repeated plan'),
  context: () => 'the context is nearly full',
} satisfies { readonly [subject: string]: (facts: FindingFacts) => string }

export type FindingSubject = keyof typeof reasons

const hints: { readonly [subject in FindingSubject]?: (facts: FindingFacts) => string | undefined } = {
  // Failed background work has ended and accepts no further prompts.
  failed: ({ kind }) =>
    kind === 'chat' ? 'send the prompt again, or branch from an earlier point' : 'branch from it to go on',
  stuck: () => 'cancel or pause the run',
  budget: ({ status, isBudgetReported }) => (isBudgetReported ? crossedHints[status] : undefined) ?? overHints[status],
  waiting: () => 'answer the approval',
  context: () => 'compact or branch',
}

/** At a limit, the session asks or pauses. If nothing is open, resuming grants one more limit on top of the amount spent. */
const crossedHints: { readonly [status in SessionStatus]?: string } = {
  awaiting_approval: 'approve more budget or cancel',
  paused: 'resume to grant more budget, raise the policy or cancel',
}

/** The next turn would ask. Elsewhere the session asks or ends on its own, is already asking, or has ended. */
const RAISE = 'raise the limit in the policy or branch'
const overHints: { readonly [status in SessionStatus]?: string } = { idle: RAISE, queued: RAISE, paused: RAISE }

export const findingWords = (
  subject: FindingSubject,
  facts: FindingFacts,
): { readonly reason: string; readonly hint: string | null } => ({
  reason: reasons[subject](facts),
  hint: hints[subject]?.(facts) ?? null,
})

export type RecoveryAction = 'answer_approval' | 'resume' | 'pause' | 'branch' | 'submit' | 'wait' | 'cancel'

export interface RecoveryWords {
  readonly name: string
  readonly sentence: string
}

/** The button label and the server's sentence of each recovery action. */
export const recoveryWords: { readonly [A in RecoveryAction]: RecoveryWords } = {
  answer_approval: { name: 'Answer the approval', sentence: 'Answer the approval.' },
  resume: { name: 'Resume', sentence: 'Resume the session.' },
  pause: { name: 'Pause', sentence: 'Pause and resume it to run it again, or cancel it.' },
  branch: { name: 'Branch', sentence: 'Branch from it to go on.' },
  submit: { name: 'Send the prompt again', sentence: 'Send the prompt again.' },
  wait: { name: 'It is tried again by itself', sentence: 'It is tried again by itself.' },
  cancel: { name: 'Stop', sentence: 'Stop the session.' },
}

/** The server's advice as a sentence. Empty if the action name already says it. */
export const adviceText = (action: string | null, advice: string | null): string => {
  if (advice === null) return ''
  const text = advice.replace(/\.$/, '')
  const name = Object.entries(recoveryWords).find(([each]) => each === action)?.[1].name
  return text.toLowerCase().replace(/ the session$/, '') === name?.toLowerCase() ? '' : `${capitalized(text)}.`
}
