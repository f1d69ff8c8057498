// Feedback queued for the engine. An item stays queued until a response confirms the request that carried it.
import type { JsonObject } from '@bridle/events/json'
import type { ResponseMessage } from '@bridle/wire/openharness/wire'
import type { DirectiveFeedback } from './feedback.ts'

/** Engines accept this much feedback per request. Drop the oldest: it is worth the least. */
const FEEDBACK_WAITING_MAX = 1_000

const PROFILE = 'openharness.execution_feedback'

export interface FeedbackOutbox {
  /** Undefined `payloadExtensions` if the queue is empty or the engine does not accept feedback. */
  next(): { readonly payloadExtensions?: JsonObject }
  /** Called with the response to a request that carried these extensions. */
  confirm(sent: JsonObject | undefined, response: ResponseMessage): void
  add(feedback: readonly DirectiveFeedback[]): void
}

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
