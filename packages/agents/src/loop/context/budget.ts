// The budget of a conversation: how many tokens the next request has, and how many the model can read.

import { windowTokensOf } from '@bridle/model-data/windows'
import type { AgentDefinition } from '../../agent.ts'
import type { LoopRun } from '../loop-run.ts'
import type { Situation } from '../next.ts'
import { modelTools } from '../tools/offered-tools.ts'
import { offeredTools } from '../toolset/offer.ts'
import { type CutPlan, planClearing, planSummary } from './cut-plan.ts'
import { TOKEN_CHARS } from './entry.ts'

/** The tokens of a model that no table has: most models of the last years read at least as many. */
const WINDOW_TOKENS = 128_000
/** The part of the window at which room is made: what is left holds the answer and the results of its calls. */
const COMPACT_RATIO = 0.85

export interface ContextBudget {
  readonly window: number
  readonly tokens: number
  /** Tokens of the instructions and the tools in it, which no cut makes fewer; an estimate. */
  readonly frameTokens: number
}

/** Whether the next request leaves enough room for its answer. A turn in which no room can be made does without. */
export const roomOf = (run: LoopRun): Situation['room'] => {
  const { turn, entries } = run.transcript
  const isSettled = turn.last?.calls.every(({ outcome }) => outcome !== null) ?? true
  if (!isSettled || turn.isCompactionOver) return 'enough'
  if (turn.overflow === 'reported') return 'short'
  const tokens = entries.view.tokens(() => frameTokensOf(run))
  if (tokens < windowOf(run.definition, turn.model) * COMPACT_RATIO) return 'enough'
  return planCut(run, false) === null ? 'enough' : 'short'
}

export const budgetOf = (run: LoopRun): ContextBudget => {
  const frameTokens = frameTokensOf(run)
  const { turn, entries } = run.transcript
  return { window: windowOf(run.definition, turn.model), tokens: entries.view.tokens(() => frameTokens), frameTokens }
}

/** The way to make room; null: there is nothing that could go. After an overflow only a summary frees enough. */
export const planCut = (run: LoopRun, isOverflow: boolean): CutPlan | null => {
  const budget = budgetOf(run)
  const { view, lastPrompt, lastSummary } = run.transcript.entries
  return (
    (isOverflow ? null : planClearing(view.items, budget)) ??
    planSummary(
      view.items,
      budget,
      ({ seq, kind }) => seq === lastSummary?.seq || (kind === 'prompt' && seq === lastPrompt?.seq),
      isOverflow,
    )
  )
}

/** The window of the model of an agent's list. */
export const windowOf = ({ limits, model }: AgentDefinition, index: number): number => {
  const models = model ?? []
  const choice = models[Math.min(index, models.length - 1)]
  const name = typeof choice === 'string' ? choice : (choice?.modelId ?? '')
  return limits.windowTokens ?? windowTokensOf(name) ?? WINDOW_TOKENS
}

const frameTokensOf = (run: LoopRun): number =>
  Math.ceil(((run.instructions?.length ?? 0) + JSON.stringify(modelTools(offeredTools(run))).length) / TOKEN_CHARS)
