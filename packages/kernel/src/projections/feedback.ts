// Execution feedback that no prompt has delivered to the agent yet.
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { Projection } from './projection.ts'

/** As many entries as one request may bring; older ones are dropped as outdated. */
const FEEDBACK_WAITING_MAX = 1_000

export interface Feedback {
  readonly waiting: readonly JsonObject[]
}

export const feedback: Projection<Feedback> = {
  initial: { waiting: [] },
  on: {
    execution_feedback: ({ waiting }, { payload }) => ({
      waiting: [...waiting, ...payload.entries].slice(-FEEDBACK_WAITING_MAX) as readonly JsonObject[],
    }),
    prompt_queued: (state, { payload: { input } }) =>
      state.waiting.length > 0 && bringsFeedback(input) ? { waiting: [] } : state,
  },
}

/** Prompts of other wires carry no feedback and leave it waiting. */
const bringsFeedback = (input: Json | undefined): boolean =>
  isJsonObject(input) && isJsonObject(input.openharness) && input.openharness.execution_feedback !== undefined
