// The next thing that a run does: a pure function of its situation, asked after each commit, so a crash between two commits needs no code.
import type { ToolEffect } from '@bridle/events/schemas'

/** How often a model is told that its output does not fit: a model that fails three times does not understand the schema. */
const REMINDERS_MAX = 2

export interface CallSituation {
  readonly id: string
  /** begun: its outcome is unknown. asked: a person is asked. answered: the answer is not used yet. settled: it has an outcome. */
  readonly stage: 'new' | 'begun' | 'asked' | 'answered' | 'settled'
  readonly effect: ToolEffect
  /** A session of another agent does the call. */
  readonly isDelegated?: boolean
}

export interface Situation {
  readonly now: number
  readonly limits: { readonly steps: number; readonly calls: number; readonly turnMs: number }
  /** Answers of the model in the turn. */
  readonly steps: number
  /** Calls of the turn, those of the last answer included. */
  readonly callCount: number
  readonly isLooping: boolean
  readonly workMs: number
  /** The calls of the last answer, in order; null: the model has not answered in this turn. */
  readonly calls: readonly CallSituation[] | null
  /** A steering prompt, or a text of the agent's own code, waits for the model. */
  readonly hasNews: boolean
  /** The model failed, and is not asked again before this time. */
  readonly retryAt: number | null
  /** `short`: the conversation fills the model's window so far that room is made before the model is asked. */
  readonly room: 'enough' | 'short'
  /** `missing`: the agent has an output schema, and the model has not given an output that fits it. */
  readonly output: 'none' | 'missing' | 'given'
  /** How often the model was told that its output is missing, or does not fit. */
  readonly reminders: number
  /** Middleware has a function `start`, and the log does not have its decision. */
  readonly isStartDue: boolean
  /** Middleware has a function `answer`, which looks at the answer before the turn ends. */
  readonly isReviewed: boolean
}

/** Why a turn is ended before the model ends it. */
export type StopReason = 'max_steps' | 'max_calls' | 'max_time' | 'loop' | 'output_invalid'

export type NextAction =
  | { readonly type: 'start' }
  | { readonly type: 'think' }
  | { readonly type: 'compact' }
  /** Calls that are not in the log yet; the first wave of them begins. */
  | { readonly type: 'begin'; readonly calls: readonly string[] }
  | { readonly type: 'repeat'; readonly calls: readonly string[] }
  | { readonly type: 'ask'; readonly calls: readonly string[] }
  /** Calls that child sessions do: they start, are waited for, or have ended. */
  | { readonly type: 'delegate'; readonly calls: readonly string[] }
  | { readonly type: 'use_answers' }
  | { readonly type: 'remind' }
  | { readonly type: 'wait'; readonly until: number | null }
  /** The functions `answer` of the middleware are called: the turn ends, or the model is sent back. */
  | { readonly type: 'review' }
  | { readonly type: 'finish' }
  | { readonly type: 'stop'; readonly reason: StopReason }

export const next = (situation: Situation): NextAction => {
  const { calls, limits, callCount, workMs } = situation
  const inStage = (stage: CallSituation['stage']) => (calls ?? []).filter((call) => call.stage === stage)
  const ids = (list: readonly CallSituation[]) => list.map(({ id }) => id)

  if (inStage('answered').length > 0) return { type: 'use_answers' }
  const begun = inStage('begun')
  const unknown = begun.filter(({ effect }) => effect === 'unsafe')
  if (unknown.length > 0) return { type: 'ask', calls: ids(unknown) }
  const repeated = begun.filter(({ isDelegated }) => !isDelegated)
  if (repeated.length > 0) return { type: 'repeat', calls: ids(repeated) }
  // While people are asked about other calls, too: both are waited for at once.
  if (begun.length > 0) return { type: 'delegate', calls: ids(begun) }
  // Calls keep their order: a later one may need what an earlier one does.
  if (inStage('asked').length > 0) return { type: 'wait', until: null }

  const unmade = inStage('new')
  if (unmade.length > 0) {
    if (callCount > limits.calls) return { type: 'stop', reason: 'max_calls' }
    if (workMs >= limits.turnMs) return { type: 'stop', reason: 'max_time' }
    return { type: 'begin', calls: ids(unmade) }
  }
  if (situation.isLooping) return { type: 'stop', reason: 'loop' }
  if (situation.output === 'given') return end(situation)
  if (situation.output === 'missing' && situation.reminders > REMINDERS_MAX)
    return { type: 'stop', reason: 'output_invalid' }
  // A turn in which the model has answered already does not start any more: the agent may have got a middleware meanwhile.
  if (calls === null && situation.isStartDue) return { type: 'start' }
  if (calls === null || calls.length > 0 || situation.hasNews) return think(situation)
  if (situation.output === 'none') return end(situation)
  return situation.reminders < REMINDERS_MAX ? { type: 'remind' } : { type: 'stop', reason: 'output_invalid' }
}

const end = ({ isReviewed }: Situation): NextAction => ({ type: isReviewed ? 'review' : 'finish' })

const think = ({ now, limits, steps, workMs, retryAt, room }: Situation): NextAction => {
  if (steps >= limits.steps) return { type: 'stop', reason: 'max_steps' }
  if (workMs >= limits.turnMs) return { type: 'stop', reason: 'max_time' }
  if (retryAt !== null && retryAt > now) return { type: 'wait', until: retryAt }
  return { type: room === 'short' ? 'compact' : 'think' }
}
