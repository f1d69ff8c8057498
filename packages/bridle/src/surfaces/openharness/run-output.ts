// The output of a run for a shell: its directives from the log, and its text where it began.
import { READ_PAGE } from '../../kernel/limits.ts'
import type { HarnessState } from '../../kernel/projections/harness-state.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { ActionDirective } from './wire.ts'

export interface RunOutput {
  readonly directives: readonly ActionDirective[]
  /** Directives before the first word of the text. */
  readonly beforeText: number
}

/** The output after the question with this id; null = since the beginning of the run. `since` is a number before that beginning. */
export const readRunOutput = async (
  session: Session,
  runId: string,
  since: number,
  approvalId: string | null,
): Promise<RunOutput> => {
  let directives: ActionDirective[] = []
  let beforeText: number | null = null
  for (let after = since; after < session.state.head; ) {
    const events = await session.read(after, READ_PAGE)
    const last = events.at(-1)
    if (!last) break
    after = last.seq
    for (const event of events) {
      if (event.run !== runId || event.hearsay) continue
      if (event.type === 'directive') directives.push(event.payload as ActionDirective)
      else if (event.type === 'token' || event.type === 'response') beforeText ??= directives.length
      // The turn starts over, or the shell has had everything up to its question.
      else if (
        (event.type === 'output_superseded' && !event.payload.keep) ||
        (event.type === 'approval_required' && event.payload.request_id === approvalId)
      ) {
        directives = []
        beforeText = null
      }
    }
  }
  return { directives, beforeText: beforeText ?? directives.length }
}

/** The run to answer for. The shell has had everything up to the question with this id; null = nothing yet. */
export interface RunPlace {
  readonly runId: string
  readonly approvalId: string | null
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
