// Tells a line of calls in spoken turns that wait for a person: a listener of the session's log.
import type { AnyEvent } from '@bridle/kernel/event'
import { withoutCallId } from '@bridle/kernel/ids'
import type { Session } from '@bridle/kernel/session/session'
import type { Audience, Listener } from '@bridle/kernel/session/subscribers'
import { type SpokenCall, spokenCall } from '../spoken/spoken-call.ts'

export interface CallApproval {
  readonly tool: string
  readonly call: SpokenCall
}

let lastKey = 0

export const watchApprovals = (session: Session, onApproval: (approval: CallApproval) => void): (() => void) => {
  lastKey += 1
  const audience: Audience = {
    key: `voice-approvals-${lastKey}`,
    encode: ({ events }) => {
      const approvals = events.flatMap((event) => approvalIn(event, session))
      return approvals.length === 0 ? '' : JSON.stringify(approvals)
    },
  }
  const listener: Listener = {
    audience,
    send: (text) => {
      for (const approval of JSON.parse(text) as CallApproval[]) onApproval(approval)
    },
    unsent: () => 0,
    // The socket of the client follows the same log, and ends the line.
    close: () => {},
  }
  session.subscribers.add(listener, session.state.head)
  return () => void session.subscribers.remove(listener)
}

const approvalIn = (event: AnyEvent, session: Session): CallApproval[] => {
  if (event.type !== 'approval_required' || event.hearsay) return []
  const { run } = session.state.lifecycle
  if (!run?.spoken || run.runId !== event.run) return []
  const { tool_name: tool, kind = 'tool', arguments: args = {} } = event.payload
  return [{ tool, call: spokenCall(kind, withoutCallId(args)) }]
}
