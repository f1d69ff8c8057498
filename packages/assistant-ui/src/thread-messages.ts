// assistant-ui caches by identity, so an unchanged message is converted once and stays the same object.
import {
  fromThreadMessageLike,
  type MessageStatus,
  type ThreadMessage,
  type ThreadMessageLike,
} from '@assistant-ui/react'
import type { HarnessMessage, HarnessState } from '@bridle/client/harness/state'
import { approvalPart, isUnfinished, messageContent, unattachedApprovals, waitsForApproval } from './message-content.ts'

/** The conversation as assistant-ui messages. The same state returns the same array. */
export const toThreadMessages = (state: HarnessState): readonly ThreadMessage[] => {
  const cached = threadCache.get(state.messages)
  if (cached && cached.approvals === state.approvals && cached.error === state.error) return cached.thread
  const thread = [...state.messages.map((message) => threadMessage(message, state)), ...unattachedMessages(state)]
  threadCache.set(state.messages, { approvals: state.approvals, error: state.error, thread })
  return thread
}

/** Converts one message for your own store: `useExternalStoreRuntime({ convertMessage })`. */
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
  // The only other state that a message depends on: open approvals while it is unfinished, its error if it failed.
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
  // Always explicit: during a run, assistant-ui assumes that a last message without a status is running.
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

/** Older servers report one error per session, which belongs to the last failed message. */
const errorOf = (message: HarnessMessage, state: HarnessState): string | undefined =>
  message.error ??
  (message.status === 'error' && state.error && state.messages.findLast(({ status }) => status === 'error') === message
    ? state.error
    : undefined)

/** Approvals without a visible call, such as for more budget, need a message of their own to be answerable. */
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
