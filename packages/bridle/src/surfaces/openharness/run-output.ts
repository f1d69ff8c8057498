// The output of a run for a shell: its directives from the log, and its text where it began.
import type { AnyEvent } from '../../kernel/event.ts'
import { READ_PAGE } from '../../kernel/limits.ts'
import type { HarnessState } from '../../kernel/projections/harness-state.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { ActionDirective } from './wire.ts'

/** The run to answer for. The shell has had everything up to the question with this id; null = nothing yet. */
export interface RunPlace {
  readonly runId: string
  readonly approvalId: string | null
}

export interface RunOutput {
  readonly directives: readonly ActionDirective[]
  /** Directives before the first word of the text; null = there is no text yet. */
  readonly beforeText: number | null
}

export const emptyOutput: RunOutput = { directives: [], beforeText: null }

/** The output of the run at this place after one more event; the same object where the event changes nothing. */
export const evolveOutput = (output: RunOutput, event: AnyEvent, { runId, approvalId }: RunPlace): RunOutput => {
  if (event.run !== runId || event.hearsay) return output
  const { directives, beforeText } = output
  switch (event.type) {
    case 'directive':
      return { directives: [...directives, event.payload as ActionDirective], beforeText }
    case 'token':
    case 'response':
      return beforeText === null ? { directives, beforeText: directives.length } : output
    // The turn starts over.
    case 'output_superseded':
      return event.payload.keep ? output : emptyOutput
    // The shell has had everything up to its question.
    case 'approval_required':
      return event.payload.request_id === approvalId ? emptyOutput : output
    default:
      return output
  }
}

/** The output so far, from the log. `since` is a number before the beginning of the run. */
export const readRunOutput = async (session: Session, place: RunPlace, since: number): Promise<RunOutput> => {
  let output = emptyOutput
  for (let after = since; after < session.state.head; ) {
    const events = await session.read(after, READ_PAGE)
    const last = events.at(-1)
    if (!last) break
    after = last.seq
    for (const event of events) output = evolveOutput(output, event, place)
  }
  return output
}

/** The directives of a run in order: its text is one of them, at the place where it began. */
export const directivesOf = (
  { directives, beforeText }: RunOutput,
  message: readonly ActionDirective[],
): readonly ActionDirective[] => {
  const place = beforeText ?? directives.length
  return [...directives.slice(0, place), ...message, ...directives.slice(place)]
}

/** The text of a run after the question with this id. `conversation` may be an earlier state of the session's. */
export const textAfter = (
  { state }: Session,
  { runId, approvalId }: RunPlace,
  { messages }: Pick<HarnessState, 'messages'> = state.conversation,
): string => {
  const { open, decided } = state.approvals
  const callId = approvalId === null ? '' : ((open[approvalId] ?? decided[approvalId])?.toolCallId ?? '')
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
