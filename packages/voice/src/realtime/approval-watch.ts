// Notifies a line when calls in spoken turns wait for a person.
import type { AnyEvent } from '@bridle/kernel/event'
import { withoutCallId } from '@bridle/kernel/ids'
import { requestFields } from '@bridle/kernel/question-request'
import type { Session } from '@bridle/kernel/session/session'
import type { Audience, Listener } from '@bridle/kernel/session/subscribers'
import { type SpokenCall, spokenCall } from '../spoken/spoken-call.ts'
import { askedWords, childWords } from '../spoken/spoken-question.ts'

export interface CallApproval {
  readonly tool: string
  readonly call: SpokenCall
}

/** A question, or its next part, as speech. */
export interface AskedQuestion {
  readonly asks: readonly string[]
}

/** An approval that cannot be answered by voice, as speech. */
export interface InboxApproval {
  readonly inbox: string
}

export type LineNotice = CallApproval | AskedQuestion | InboxApproval

let lastKey = 0

export const watchApprovals = (session: Session, onApproval: (notice: LineNotice) => void): (() => void) => {
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
      for (const notice of JSON.parse(text) as LineNotice[]) onApproval(notice)
    },
    unsent: () => 0,
    // The client's own socket follows the same log and closes the line.
    close: () => {},
  }
  session.subscribers.add(listener, session.state.head)
  return () => void session.subscribers.remove(listener)
}

const approvalIn = (event: AnyEvent, session: Session): LineNotice[] => {
  if (event.type !== 'approval_required' || event.hearsay) return []
  const { run } = session.state.lifecycle
  if (!run?.spoken || run.runId !== event.run) return []
  const { tool_name: tool, arguments: args = {} } = event.payload
  const { kind, ...asked } = requestFields(event.payload)
  if (event.payload.child) return [{ inbox: childWords(kind) }]
  if (kind === 'question') return [{ asks: askedWords(asked) }]
  return [{ tool, call: spokenCall(kind, withoutCallId(args)) }]
}
