// Message parts in order: text, reasoning, tools, and markers, which assistant-ui calls data.
import type { ThreadMessageLike, ToolCallMessagePart } from '@assistant-ui/react'
import { isOpenQuestion, type OpenQuestion, openQuestions } from '@bridle/client/harness/questions'
import {
  type HarnessApproval,
  type HarnessMessage,
  type HarnessPart,
  type HarnessState,
  type HarnessToolCall,
  partText,
} from '@bridle/client/harness/state'

type ContentPart = Exclude<ThreadMessageLike['content'], string>[number]
type ToolArguments = ToolCallMessagePart['args']
type ToolApproval = NonNullable<ToolCallMessagePart['approval']>

/** Omits withdrawn parts. */
export const messageContent = (message: HarnessMessage, state: HarnessState): ContentPart[] => {
  const calls = liveCalls(message)
  // A server that implements only the Fabric document sends no parts: text first, then tools.
  if (!message.parts?.length) {
    const text: ContentPart[] = message.content === '' ? [] : [{ type: 'text', text: message.content }]
    return [...text, ...[...calls.values()].map((call) => toolPart(call, message, state))]
  }
  return message.parts.flatMap((part, index): ContentPart[] => {
    if ('superseded' in part && part.superseded) return []
    if (part.type === 'text') return [{ type: 'text', text: partText(message, index) }]
    if (part.type !== 'tool') return [otherPart(part)]
    const call = calls.get(part.toolCallId)
    // assistant-ui looks tools up by id, so each id may appear only once.
    calls.delete(part.toolCallId)
    return call ? [toolPart(call, message, state)] : []
  })
}

export const isUnfinished = ({ status }: HarnessMessage): boolean => status === 'pending' || status === 'streaming'

export const waitsForApproval = (message: HarnessMessage, state: HarnessState): boolean =>
  [...liveCalls(message).values()].some((call) => isAwaitingApproval(call, message, state))

export const unattachedApprovals = (state: HarnessState): readonly HarnessApproval[] => {
  if (!state.approvals?.length) return []
  const shown = new Set(
    state.messages
      .filter(isUnfinished)
      .flatMap((message) => [...liveCalls(message).values()].map((call) => call.approval?.id)),
  )
  return state.approvals.filter(({ id }) => !shown.has(id))
}

/** Shows an approval as a call. A question's part has no `approval`, because a tool result answers it. */
export const approvalPart = (approval: HarnessApproval): ContentPart => {
  const { id, toolName, reason } = approval
  const isQuestion = isOpenQuestion(approval)
  const args = isQuestion ? questionArgs(approval) : (approval.arguments ?? {})
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName,
    args,
    argsText: JSON.stringify(args),
    ...(!isQuestion && { approval: { id, ...(reason && { prompt: reason }) } }),
  }
}

/** Omits the tool's arguments, which repeat the question. */
const questionArgs = ({ questions, schema, default: byDefault }: OpenQuestion): ToolArguments => ({
  ...(questions ? { questions: questions as readonly ToolArguments[] } : { schema }),
  ...(byDefault && { default: byDefault as ToolArguments }),
})

const liveCalls = (message: HarnessMessage): Map<string, HarnessToolCall> =>
  new Map((message.toolCalls ?? []).filter((call) => !call.superseded).map((call) => [call.id, call]))

const toolPart = (call: HarnessToolCall, message: HarnessMessage, state: HarnessState): ContentPart => {
  const { id, name, status, result } = call
  const question = isAwaitingApproval(call, message, state)
    ? openQuestions(state).find((open) => open.id === call.approval?.id)
    : undefined
  const approval = question ? undefined : approvalOf(call, message, state)
  const args = question ? questionArgs(question) : call.arguments
  const isError = status === 'error' || call.outcome === 'denied' || approval?.approved === false
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    args: args ?? {},
    argsText: args ? JSON.stringify(args) : '',
    // assistant-ui treats a call without a result as running, so an ended call needs one.
    ...(result !== undefined ? { result } : status !== 'running' && { result: call.error ?? null }),
    ...(isError && { isError }),
    ...(approval && { approval }),
  }
}

const approvalOf = (call: HarnessToolCall, message: HarnessMessage, state: HarnessState): ToolApproval | undefined => {
  if (!call.approval) return undefined
  const { id, status } = call.approval
  if (status === 'approved' || status === 'denied') return { id, approved: status === 'approved' }
  if (status === 'expired') return { id, resolution: 'expired' }
  // The run has ended, so buttons would do nothing.
  if (!isAwaitingApproval(call, message, state)) return { id, resolution: 'cancelled' }
  const reason = state.approvals?.find((open) => open.id === id)?.reason
  return { id, ...(reason && { prompt: reason }) }
}

const isAwaitingApproval = ({ approval }: HarnessToolCall, message: HarnessMessage, state: HarnessState): boolean =>
  approval?.status === 'pending' &&
  isUnfinished(message) &&
  (!state.approvals || state.approvals.some(({ id }) => id === approval.id))

const otherPart = (part: Exclude<HarnessPart, { type: 'text' | 'tool' }>): ContentPart => {
  if (part.type === 'reasoning') return { type: 'reasoning', text: part.text }
  if (part.type === 'marker') return { type: 'data', name: 'marker', data: { kind: part.kind, text: part.text } }
  return { type: 'data', name: 'artifact', data: { artifactId: part.artifactId, name: part.name } }
}
