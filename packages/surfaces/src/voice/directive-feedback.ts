// Agents' tools run on the server, except calls that become directives. Their outcome is execution feedback, as from any shell.

import type { Json } from '@bridle/events/json'
import type { ToolStatus } from '@bridle/events/schemas'
import { isRefusal } from '@bridle/kernel/commands'
import type { AnyEvent } from '@bridle/kernel/event'
import type { SessionService } from '@bridle/kernel/host/host'
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import type { Session } from '@bridle/kernel/session/session'

/** A few fields. The session keeps it until the next prompt passes it to the agent. */
const FEEDBACK_CHARS_MAX = 16_000
/** Clients execute a directive at once, so its call is recent. */
const FEEDBACK_LOOKUP_MAX = 2_000
/** Lets other sessions run in between. */
const FEEDBACK_LOOKUP_PAGE = 500

export const recordToolResult = async (
  { id, output = null }: { readonly id: string; readonly output?: Json | undefined },
  session: Session,
  host: Pick<SessionService, 'send'>,
  user: string | null,
): Promise<VoiceFault | null> => {
  if (JSON.stringify(output).length > FEEDBACK_CHARS_MAX)
    return { code: 'bad_message', message: `output: Send at most ${FEEDBACK_CHARS_MAX} characters of JSON.` }
  const actionType = await directiveOfCall(session, id)
  if (actionType === null) return notADirective
  const entry = { tool_call_id: id, action_type: actionType, outcome: 'executed', output }
  const answer = await host.send(session.key, {
    type: 'feedback',
    entries: [entry],
    ...(user !== null && { actor: user }),
  })
  return isRefusal(answer) ? { code: answer.refused, message: answer.message } : null
}

/** Type of the directive that a recent call becomes; null if it does not. */
const directiveOfCall = async (session: Session, callId: string): Promise<string | null> => {
  const { head, approvals } = session.state
  if (Object.values(approvals.open).some(({ toolCallId }) => toolCallId === callId)) return null
  let directive: string | null = null
  let seen = Math.max(0, head - FEEDBACK_LOOKUP_MAX)
  while (seen < head) {
    const events: readonly AnyEvent[] = await session.read(seen, FEEDBACK_LOOKUP_PAGE)
    for (const { type, payload } of events) {
      // Call ids may repeat across runs. The newest call is the one just executed.
      if (type === 'tool_call' && payload.tool_call_id === callId) directive = payload.action_type ?? null
      if (type === 'tool_outcome' && payload.tool_call_id === callId && !IS_SENT.has(payload.status)) directive = null
    }
    const last = events.at(-1)
    if (!last) break
    seen = last.seq
  }
  return directive
}

/** Outcomes of calls whose directive was sent. */
const IS_SENT: ReadonlySet<ToolStatus> = new Set(['ok', 'artifact'])

const notADirective: VoiceFault = {
  code: 'not_a_directive',
  message: 'The server runs this tool. Send tool_result only for a call that became a directive.',
}
