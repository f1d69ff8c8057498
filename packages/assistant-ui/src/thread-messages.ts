// HarnessState as assistant-ui's messages. assistant-ui caches by identity, so a message that did not change is
// converted once and stays the same object.
import {
  fromThreadMessageLike,
  type MessageStatus,
  type ThreadMessage,
  type ThreadMessageLike,
} from '@assistant-ui/react'
import type { HarnessMessage, HarnessState } from '@bridle/client/harness/state'
import { approvalPart, isUnfinished, messageContent, unattachedApprovals, waitsForApproval } from './message-content.ts'

/** The whole conversation as assistant-ui shows it. The same state gives the same array, the same message the same object. */
export const toThreadMessages = (state: HarnessState): readonly ThreadMessage[] => {
  const cached = threadCache.get(state.messages)
  if (cached && cached.approvals === state.approvals && cached.error === state.error) return cached.thread
  const thread = [...state.messages.map((message) => threadMessage(message, state)), ...unattachedMessages(state)]
  threadCache.set(state.messages, { approvals: state.approvals, error: state.error, thread })
  return thread
}

/** Converts a message for a store of your own: `useExternalStoreRuntime({ convertMessage })`. */
export const convertHarnessMessage = (message: HarnessMessage, state: HarnessState): ThreadMessageLike => {
  const { id, role, status, runId, stopReason, createdAt } = message
  const custom = { status, ...(runId !== undefined && { runId }), ...(stopReason !== undefined && { stopReason }) }
  const common = { id, metadata: { custom }, ...(createdAt !== undefined && { createdAt: new Date(createdAt) }) }
  return role === 'user'
    ? { ...common, role, content: [{ type: 'text', text: message.content }] }
    : { ...common, role, content: messageContent(message, state), status: statusOf(message, state) }
}

const threadCache = new WeakMap<
  HarnessState['messages'],
  Pick<HarnessState, 'approvals' | 'error'> & { readonly thread: readonly ThreadMessage[] }
>()

const messageCache = new WeakMap<HarnessMessage, { readonly basis: unknown; readonly message: ThreadMessage }>()

const threadMessage = (message: HarnessMessage, state: HarnessState): ThreadMessage => {
  // The part of the state that the message shows besides itself: open approvals while it is unfinished, the error if it failed.
  const basis = isUnfinished(message) ? state.approvals : errorOf(message, state)
  const cached = messageCache.get(message)
  if (cached && cached.basis === basis) return cached.message
  const made = fromThreadMessageLike(convertHarnessMessage(message, state), message.id, running)
  messageCache.set(message, { basis, message: made })
  return made
}

const running: MessageStatus = { type: 'running' }

const statusOf = (message: HarnessMessage, state: HarnessState): MessageStatus => {
  if (message.status === 'error') {
    const error = errorOf(message, state)
    return { type: 'incomplete', reason: 'error', ...(error !== undefined && { error }) }
  }
  // Stated in any case: while the session runs, assistant-ui takes a last message without a status for running.
  if (isUnfinished(message))
    return waitsForApproval(message, state) ? { type: 'requires-action', reason: 'interrupt' } : running
  const cut = incompleteReasons.get(message.stopReason ?? '')
  return cut ? { type: 'incomplete', reason: cut } : { type: 'complete', reason: 'stop' }
}

const incompleteReasons = new Map<string, 'cancelled' | 'length' | 'content-filter' | 'other'>([
  ['cancelled', 'cancelled'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
  ['refusal', 'content-filter'],
  ['branched', 'other'],
])

/** An older server has one error for the session: that of the message that failed last. */
const errorOf = (message: HarnessMessage, state: HarnessState): string | undefined =>
  message.error ??
  (message.status === 'error' && state.error && state.messages.findLast(({ status }) => status === 'error') === message
    ? state.error
    : undefined)

/** Approvals without a call on the page, such as one for more budget: without a card nobody could answer them. */
const unattachedMessages = (state: HarnessState): ThreadMessage[] => {
  const approvals = unattachedApprovals(state)
  if (approvals.length === 0) return []
  const content = approvals.map(approvalPart)
  const like: ThreadMessageLike = {
    id: `approvals:${approvals.map(({ id }) => id).join(',')}`,
    role: 'assistant',
    content,
    status: { type: 'requires-action', reason: 'interrupt' },
  }
  return [fromThreadMessageLike(like, '', running)]
}
