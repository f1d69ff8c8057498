// Directives of a run, interleaved with its text. Computed from the log alone, so that streams and later answers agree.

import { READ_PAGE } from '@bridle/events/limits'
import type { AnyEvent } from '@bridle/kernel/event'
import { childOfApproval } from '@bridle/kernel/projections/child-approvals'
import { conversationOperations, emptyConversation } from '@bridle/kernel/projections/conversation'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { SessionState } from '@bridle/kernel/projections/state'
import type { Session } from '@bridle/kernel/session/session'
import { applyToState } from '@bridle/kernel/state-operations'
import type { ActionDirective } from '@bridle/wire/openharness/wire'
import { messageDirectives } from './directives.ts'

/** Everything up to the question `approvalId` was already sent to the shell; null: nothing yet. */
export interface RunPlace {
  readonly runId: string
  readonly approvalId: string | null
}

export interface RunOutput {
  readonly directives: readonly PlacedDirective[]
  /** The conversation since the start of the run. */
  readonly conversation: HarnessState
}

interface PlacedDirective {
  readonly directive: ActionDirective
  /** Position in the run's text, in characters. */
  readonly at: number
}

export const emptyOutput: RunOutput = { directives: [], conversation: emptyConversation }

export const evolveOutput = (output: RunOutput, event: AnyEvent, place: RunPlace, session: Session): RunOutput => {
  const conversation = applyToState(output.conversation, conversationOperations(output.conversation, event))
  if (event.run !== place.runId || event.hearsay) return { ...output, conversation }
  switch (event.type) {
    case 'directive': {
      const directive = event.payload as ActionDirective
      const at = textAfter(session, place, conversation).length
      return { directives: [...output.directives, { directive, at }], conversation }
    }
    case 'output_superseded':
      return { directives: event.payload.keep ? output.directives : [], conversation }
    // Everything before the shell's question was already sent.
    case 'approval_required':
      return { directives: event.payload.request_id === place.approvalId ? [] : output.directives, conversation }
    default:
      return { ...output, conversation }
  }
}

/** Reads from the log. `since` is any position before the run. */
export const readRunOutput = async (session: Session, place: RunPlace, since: number): Promise<RunOutput> => {
  let output = emptyOutput
  for (let after = since; after < session.state.head; ) {
    const events = await session.read(after, READ_PAGE)
    const last = events.at(-1)
    if (!last) break
    after = last.seq
    for (const event of events) output = evolveOutput(output, event, place, session)
  }
  return output
}

/** Directives in order, with one per stretch of text. `shaped` adapts each to the shell. */
export const directivesOf = (
  { directives, conversation }: RunOutput,
  session: Session,
  place: RunPlace,
  shaped: (directive: ActionDirective) => readonly ActionDirective[] = (directive) => [directive],
): readonly ActionDirective[] => {
  const text = textAfter(session, place, conversation)
  const list: ActionDirective[] = []
  let from = 0
  const say = (to: number) => {
    const stretch = text.slice(from, Math.max(from, to))
    // Drop blank stretches, and white space between two stretches.
    const said = stretch.trim() === '' ? '' : from === 0 ? stretch : stretch.trimStart()
    for (const message of messageDirectives(said)) list.push(...shaped(message))
    from = Math.max(from, to)
  }
  for (const { directive, at } of directives) {
    // Text may have been withdrawn since the directive was placed.
    say(Math.min(at, text.length))
    list.push(...shaped(directive))
  }
  say(text.length)
  return list
}

const textAfter = (
  { state }: Session,
  { runId, approvalId }: RunPlace,
  { messages }: Pick<HarnessState, 'messages'>,
): string => {
  const callId = approvalId === null ? '' : callOf(state, approvalId)
  return messages
    .filter(({ role, runId: of }) => role === 'assistant' && of === runId)
    .map(({ content, parts = [] }) => {
      const call = parts.findIndex((part) => part.type === 'tool' && part.toolCallId === callId)
      if (call < 0) return content
      const text = parts.slice(call).find((part) => part.type === 'text' && 'from' in part)
      return text && 'from' in text ? content.slice(text.from).trimStart() : ''
    })
    .filter((content) => content !== '')
    .join('\n\n')
}

/** The call that waits for the answer. For a child's question, it is the call that started the child. */
const callOf = (
  { approvals: { open, decided }, childApprovals, subagents }: SessionState,
  approvalId: string,
): string => {
  const child = childOfApproval(childApprovals, approvalId)
  const callId = child ? subagents[child.via]?.toolCallId : (open[approvalId] ?? decided[approvalId])?.toolCallId
  return callId ?? ''
}
