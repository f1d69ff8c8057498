// Feedback on its way to an engine that takes it. It stays until a response shows that a request with it has arrived.
import type { JsonObject } from '@bridle/events/json'
import type { ResponseMessage } from '@bridle/wire/openharness/wire'
import type { DirectiveFeedback } from './feedback.ts'

/** Feedback that waits for the next request: engines take as much in one, and what is older has lost its worth. */
const FEEDBACK_WAITING_MAX = 1_000

const PROFILE = 'openharness.execution_feedback'

export interface FeedbackOutbox {
  /** The field of the next request; absent where there is nothing to say, or nobody to say it to. */
  next(): { readonly payloadExtensions?: JsonObject }
  /** A response came to a request with these extensions. */
  confirm(sent: JsonObject | undefined, response: ResponseMessage): void
  add(feedback: readonly DirectiveFeedback[]): void
}

/** A shell without the capability keeps its feedback to itself. */
export const createFeedbackOutbox = (capabilities: JsonObject): FeedbackOutbox => {
  let isTaken = false
  let waiting: readonly DirectiveFeedback[] = []
  return {
    next: () =>
      isTaken && waiting.length > 0 ? { payloadExtensions: { [PROFILE]: waiting as unknown as JsonObject[] } } : {},
    confirm: (sent, { supported_capabilities: supported }) => {
      isTaken = Boolean(capabilities[PROFILE]) && Boolean(supported?.[PROFILE])
      const gone = sent?.[PROFILE] as readonly unknown[] | undefined
      if (gone) waiting = waiting.filter((each) => !gone.includes(each))
    },
    add: (feedback) => {
      if (capabilities[PROFILE]) waiting = [...waiting, ...feedback].slice(-FEEDBACK_WAITING_MAX)
    },
  }
}
