// Prompts that wait for their turn. The state has them as messages; the composer shows them, until their turn starts.
import type { HarnessMessage, HarnessState } from 'bridle/client'

export const queuedPrompts = (state: HarnessState): readonly HarnessMessage[] =>
  isBusy(state) ? state.messages.filter((message) => isPending(message)) : none

export const isQueued = (message: HarnessMessage, state: HarnessState): boolean => isPending(message) && isBusy(state)

/** The prompts without a turn so far, those too that start at once. */
export const waitingPrompts = ({ messages }: HarnessState): number =>
  messages.reduce((count, message) => (isPending(message) ? count + 1 : count), 0)

/** A prompt that starts at once is shown in its place, for a queue that comes and goes would only flicker. */
const isBusy = ({ messages, sessionStatus }: HarnessState): boolean =>
  sessionStatus === 'paused' ||
  messages.findLast(({ role, status }) => role === 'assistant' && (status === 'pending' || status === 'streaming')) !==
    undefined

const isPending = ({ role, status }: HarnessMessage): boolean => role === 'user' && status === 'pending'

const none: readonly HarnessMessage[] = []
