// A session as the HTTP routes show it. Some fields have two names: two documents describe the wire, each with its own spelling.

import type { Payloads } from '@bridle/events/schemas'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { eventId } from '@bridle/kernel/event'
import { withIncarnations } from '@bridle/kernel/positions/incarnation'
import { riskLevelOf } from '@bridle/kernel/projections/approvals'
import { allOpenApprovals } from '@bridle/kernel/projections/child-approvals'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import { statusOf } from '@bridle/kernel/projections/state'
import { childField, questionFields } from '@bridle/kernel/question-request'
import { healthSnapshot } from '@bridle/kernel/views/health-snapshot'
import { sessionStateCard } from '@bridle/kernel/views/session-card'
import { isoOrNull, listedFields } from '@bridle/kernel/views/session-fields'
import { retryAtOf } from '@bridle/kernel/views/work-progress'
import type { SessionCard, SessionMessages } from '../http/wire.ts'
import type { SessionFacts } from './session-facts.ts'

/** Messages of a session in one answer, the newest: more than a person scrolls through. */
const DETAIL_MESSAGES_MAX = 500
/** Characters of these messages: a browser takes 4 MB of JSON without a pause. */
const DETAIL_CHARS_MAX = 4_000_000

/** `agent` is null where the server no longer has it. */
export const sessionDetail = (session: SessionFacts, agent: AgentInfo | null): SessionCard & SessionMessages => ({
  ...sessionCard(session, agent),
  ...recentMessages(session.state.conversation.messages),
})

/** Everything except the messages: starting, pausing, resuming and cancelling answer with it. */
export const sessionCard = (
  { key, state, heartbeatAt, incarnations, identity }: SessionFacts,
  agent: AgentInfo | null,
): SessionCard => {
  const { lifecycle: life } = state
  const status = statusOf(state)
  return {
    // A card that the server writes today has every field; the type of the event allows for older ones.
    ...(withIncarnations(sessionStateCard(key, state, identity), key.id, incarnations) as unknown as StateCard),
    last_heartbeat_at: isoOrNull(heartbeatAt),
    ...listedFields(key, {
      kind: life.kind,
      title: life.title,
      createdAt: life.createdAt,
      updatedAt: state.at,
      lastEventId: eventId(state.head, incarnations.own),
      retryAt: retryAtOf(state),
      isArchived: life.isArchived,
    }),
    queued: life.queue.length,
    runId: life.run?.runId ?? null,
    lastError: life.lastError,
    ...(agent?.capabilities && { capabilities: agent.capabilities }),
    approvals: allOpenApprovals(state).map(
      ({ id, kind, tool, toolCallId, reason, arguments: args, expiresAt, effect, risk, child, ...more }) => ({
        id,
        kind,
        toolName: tool,
        toolCallId,
        reason,
        args,
        expiresAt: isoOrNull(expiresAt),
        effect: effect ?? null,
        risk: riskLevelOf({ risk, effect }),
        ...questionFields(more),
        ...(child && { child: childField(child) }),
      }),
    ),
    health: withIncarnations(healthSnapshot(key, state, status, state.at), key.id, incarnations),
  }
}

/** The fields of a card that the log has under the same names. */
type StateCard = Pick<SessionCard, Extract<keyof SessionCard, keyof Payloads['session_state']>>

/** The newest messages, limited in number and in size. Older ones are in the timeline and on the socket. */
const recentMessages = (messages: readonly HarnessMessage[]): SessionMessages => {
  let chars = 0
  let from = messages.length
  while (from > 0 && messages.length - from < DETAIL_MESSAGES_MAX) {
    chars += charsIn(messages[from - 1] as HarnessMessage)
    if (chars > DETAIL_CHARS_MAX && from < messages.length) break
    from -= 1
  }
  return { messages: messages.slice(from), ...(from > 0 && { earlierMessages: from }) }
}

/** The size of each message that was measured. A message never changes, and measuring large ones for each request would delay others. */
const messageChars = new WeakMap<HarnessMessage, number>()
const charsIn = (message: HarnessMessage): number => {
  const measured = messageChars.get(message)
  if (measured !== undefined) return measured
  const chars = JSON.stringify(message).length
  messageChars.set(message, chars)
  return chars
}
