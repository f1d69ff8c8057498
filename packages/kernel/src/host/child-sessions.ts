import { isJsonObject, type Json, present } from '@bridle/events/json'
import { type AnswerTo, type ApproveCommand, isRefusal, type Refusal, refuse } from '../commands.ts'
import type { Key } from '../event.ts'
import { ownerOf } from '../owner.ts'
import type { ChildResult, ChildSessions, ChildStart } from '../ports/child-sessions.ts'
import { hasFaultCode } from '../ports/store-fault.ts'
import { isTerminal } from '../projections/state.ts'
import type { IdempotencyKey } from '../session/inbox.ts'
import { readArtifactText } from '../session/reading/artifact-text.ts'
import type { Session } from '../session/session.ts'
import type { Host } from './host.ts'

/** The usual retries of background work. */
const CHILD_RETRIES_MAX = 3
/** The result is logged shortly before the end; only prompts dropped at the end can follow it. */
const TURN_END_EVENTS = 300

type ChildHost = Pick<Host, 'find' | 'send'>

/** `host` is lazy because it may be created later. */
export const hostChildSessions = (host: () => ChildHost): ChildSessions => ({
  start: async (child) => startChild(host(), child, await ownerOfParent(host(), child.parent)),
  result: (child) => childResult(host(), child),
})

export const ownerOfParent = async (host: ChildHost, parent: Key): Promise<string | null> => {
  const session = await host.find(parent)
  return session && ownerOf(parent, session.state)
}

export const startChild = async (host: ChildHost, start: ChildStart, owner: string | null): Promise<string | null> => {
  const { parent, child, prompt, input, settings, policy, depth, isKnown } = start
  const session = await host.find(child)
  if (session) return isChildOf(session, parent) ? null : `Another session has the id "${child.id}".`
  if (isKnown) return 'The session of the agent was removed.'
  const answer = await host.send(
    child,
    {
      type: 'submit',
      prompt,
      fresh: true,
      ...present({ input }),
      ...(owner !== null && { owner }),
      opening: {
        ...{ kind: 'background', maxRetries: CHILD_RETRIES_MAX, parentSessionId: parent.id },
        ...{ settings, policy, delegation: { agent: parent.agent, depth } },
      },
    },
    { commandId: `delegate:${child.id}`, bodyHash: child.id },
  )
  // Two starts of the same child can race.
  return !isRefusal(answer) || answer.refused === 'session_exists' ? null : answer.message
}

/** False if the parent has no such child. */
export const cancelChild = async (host: ChildHost, child: Key, parent: Key): Promise<boolean> => {
  const session = await host.find(child).catch((cause: unknown) => {
    // A session that cannot be opened is not running.
    if (hasFaultCode(cause, 'corrupt') || hasFaultCode(cause, 'refused')) return null
    throw cause
  })
  if (!session || !isChildOf(session, parent)) return false
  if (isTerminal(session.state)) return true
  const answer = await host.send(child, {
    ...{ type: 'cancel', queue: true, reason: 'The session above it no longer waits for it.' },
  })
  return !isRefusal(answer) || answer.refused !== 'session_not_found'
}

export interface ChildAnswer {
  readonly child: Key
  /** Owner of the ancestor: answers never cross owners. */
  readonly owner: string | null
  readonly command: ApproveCommand
  readonly commandId: IdempotencyKey | null
}

export const answerChild = async (
  host: ChildHost,
  { child, owner, command, commandId }: ChildAnswer,
): Promise<AnswerTo<ApproveCommand> | Refusal> => {
  const session = await host.find(child)
  if (!session || ownerOf(child, session.state) !== owner) return refuse('approval_not_found')
  return host.send(child, command, commandId)
}

export const childResult = async (host: ChildHost, child: Key): Promise<ChildResult> => {
  const session = await host.find(child)
  if (!session) return { problem: 'The session of the agent was removed.', reason: 'child_gone' }
  const { reportedStatus, lastTurnStatus } = session.state.lifecycle
  const end = reportedStatus?.seq ?? session.state.head
  const events = await session.read(Math.max(0, end - TURN_END_EVENTS), TURN_END_EVENTS)
  const last = events.findLast(({ type }) => type === 'completed' || type === 'error')
  if (lastTurnStatus === 'completed' && last?.type === 'completed')
    return { value: await wholeResult(session, last.payload.result ?? '') }
  if (lastTurnStatus === 'failed' && last?.type === 'error')
    return { problem: `The agent failed: ${last.payload.message}`, reason: last.payload.reason ?? 'child_failed' }
  return { problem: 'The work of the agent was cancelled.', reason: 'child_cancelled' }
}

/** Results too large for an event are stored as artifacts. */
const wholeResult = async (session: Session, result: Json): Promise<Json> => {
  const id = isJsonObject(result) && typeof result.preview === 'string' ? result.artifact_id : undefined
  if (typeof id !== 'string') return result
  const artifact = session.state.artifacts.latest.findLast((each) => each.id === id)
  const text = await readArtifactText(session, id)
  if (text === null) return result
  return artifact?.contentType === 'application/json' ? (JSON.parse(text) as Json) : text
}

const isChildOf = ({ state: { lifecycle } }: Session, { agent, id }: Key): boolean =>
  lifecycle.parentSessionId === id && lifecycle.delegation?.agent === agent
