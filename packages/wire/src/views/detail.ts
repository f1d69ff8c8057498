// Some fields have two names, because two documents describe the wire.

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

/** More than a person scrolls through. */
const DETAIL_MESSAGES_MAX = 500
/** A browser parses 4 MB of JSON without a visible pause. */
const DETAIL_CHARS_MAX = 4_000_000

/** `agent` is null if the server no longer has it. */
export const sessionDetail = (session: SessionFacts, agent: AgentInfo | null): SessionCard & SessionMessages => ({
  ...sessionCard(session, agent),
  ...recentMessages(session.state.conversation.messages),
})

/** Everything except the messages. Starting, pausing, resuming and cancelling return it. */
export const sessionCard = (
  { key, state, heartbeatAt, incarnations, identity }: SessionFacts,
  agent: AgentInfo | null,
): SessionCard => {
  const { lifecycle: life } = state
  const status = statusOf(state)
  return {
    // The event's type keeps fields optional for older events; a card written today has them all.
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

type StateCard = Pick<SessionCard, Extract<keyof SessionCard, keyof Payloads['session_state']>>

/** Older messages are in the timeline and on the socket. */
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

/** Messages never change, and measuring large ones on every request would delay other requests. */
const messageChars = new WeakMap<HarnessMessage, number>()
const charsIn = (message: HarnessMessage): number => {
  const measured = messageChars.get(message)
  if (measured !== undefined) return measured
  const chars = JSON.stringify(message).length
  messageChars.set(message, chars)
  return chars
}
