// Tokens and repeated requests go to their session, hints to their agent, and other messages to the procedure waiting for text,
// or else to the line's own agent.

import type { JsonObject } from '@bridle/events/json'
import { isRefusal } from '@bridle/kernel/commands'
import { type Key, keyText } from '@bridle/kernel/event'
import { ownerOf } from '@bridle/kernel/owner'
import type { Session } from '@bridle/kernel/session/session'
import type { Continuation, RequestMessage } from '@bridle/wire/openharness/wire'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { ownerField } from '../http/access/users.ts'
import { type Denial, isDenial, notFound } from '../http/denials/denial.ts'
import { refusalDenial } from '../http/denials/kernel-denials.ts'
import type { RouteCall } from '../http/router/route.ts'
import { hasRun } from '../http/sessions/event-lookup.ts'
import { openContinuation } from './continuation.ts'
import { expiredContinuation, requestIdConflict } from './errors.ts'
import { namedLineId, requestKeyOf } from './line-ids.ts'
import {
  allOf,
  askingSessions,
  type ConversationLine,
  calledSession,
  findLine,
  isOfLine,
  type SessionTarget,
} from './line-sessions.ts'
import { conversationId, isOpenTo, wantedAgent } from './session-key.ts'

export interface TurnSession {
  readonly target: SessionTarget
  readonly line: ConversationLine
  /** The run whose output is returned. No run is started. */
  readonly resumes?: string
  /** The prompt answers the open question. If it is gone, the request is routed again. */
  readonly only?: 'answer'
}

type Call = RouteCall<unknown, unknown>

/** `found` comes from `sessionKeyOf`: a session of the line, or of the token. */
export const turnSessionOf = async (call: Call, found: Key, message: RequestMessage): Promise<TurnSession | Denial> => {
  const { session_id: named, continuation } = message.request.context ?? {}
  const token = continuation?.continuation_token
  const claim = token ? await openContinuation(call.ports, token) : null
  // Without a session_id, the token identifies the session.
  const isNamed = named || claim === null || keyText(claim.key) !== keyText(found)
  const line = isNamed ? await lineOf(call, message) : await findLine(call, found.id)
  if (isDenial(line)) return line
  const keys = { found, claimed: claim?.key ?? null }
  const place = token ? await tokenPlace(call, line, keys, message) : await messagePlace(call, line, message)
  if (isDenial(place)) return place
  const { key } = place.target
  if (!(await isOpenTo(call.access, key.id))) return notFound()
  return refusePrivateAgent(call, key.agent) ?? { ...place, line }
}

type Place = Omit<TurnSession, 'line'>

const lineOf = async (call: Call, message: RequestMessage): Promise<ConversationLine | Denial> => {
  const id = await namedLineId(call, message)
  if (isDenial(id)) return id
  const calledInto = await conversationId(call, id, message, (key) => isCalled(call, key, id))
  return (await isOpenTo(call.access, calledInto)) ? findLine(call, calledInto) : notFound()
}

const isCalled = async ({ ports }: Call, key: Key, lineId: string): Promise<boolean> => {
  const session = await ports.host.find(key)
  return session !== null && isOfLine(session, lineId, ownerOf(key, session.state))
}

/** A token of another line is routed to this line, and refused when it is opened. */
const tokenPlace = async (
  call: Call,
  line: ConversationLine,
  { found, claimed }: { readonly found: Key; readonly claimed: Key | null },
  message: RequestMessage,
): Promise<Place | Denial> => {
  const session = allOf(line).find(({ key }) => claimed !== null && keyText(key) === keyText(claimed))
  const { key } = session ?? line.own[0] ?? { key: found }
  const answered = await answeredPlace(call, line, message)
  return answered && keyText(answered.target.key) !== keyText(key) ? requestIdConflict() : existing(key)
}

const messagePlace = async (call: Call, line: ConversationLine, message: RequestMessage): Promise<Place | Denial> => {
  const { user_intent, task_hint, attachments, continuation } = message.request.context ?? {}
  const resumed = await resumedPlace(call, line, continuation)
  if (isDenial(resumed) || (resumed && !user_intent?.trim() && !attachments?.length)) return resumed
  const answered = await answeredPlace(call, line, message)
  if (answered) return answered
  const wanted = wantedAgent(call, task_hint)
  if (line.own.length === 0) return newLine(call, line, message, wanted)
  if (wanted !== null) return placeOf(await calledSession(call, line, wanted))
  const own = ownSession(call, line)
  // Answers are text and cannot carry files.
  const asking = user_intent?.trim() && !attachments?.length ? askingSessions(allOf(line), call.ports.clock.now()) : []
  const [first] = asking.filter(({ key }) => !resumed || keyText(key) === keyText(resumed.target.key)).concat(asking)
  if (first) return first === own ? existing(first.key) : { ...existing(first.key), only: 'answer' }
  if (own) return existing(own.key)
  return placeOf(await calledSession(call, line, call.ports.defaultAgent))
}

/** A repeated request goes to the session that first answered it. */
const answeredPlace = async (call: Call, line: ConversationLine, message: RequestMessage): Promise<Place | null> => {
  const requestKey = await requestKeyOf(call.request, message)
  if (requestKey === null || isDenial(requestKey)) return null
  for (const session of allOf(line)) if (await session.hasAnswered(requestKey)) return existing(session.key)
  return null
}

const resumedPlace = async (
  call: Call,
  line: ConversationLine,
  continuation: Continuation = {},
): Promise<Place | Denial | null> => {
  const { run_id: runId, sop_id: named } = continuation
  const procedure = named && call.ports.agents.has(named) ? named : null
  if (!runId && !procedure) return null
  const sessions = allOf(line).filter(({ key }) => procedure === null || key.agent === procedure)
  // Run ids are only unique per session. An active run is the likely one to resume.
  const atWork = sessions.find(({ state }) => state.lifecycle.run && (!runId || state.lifecycle.run.runId === runId))
  if (atWork) return { ...existing(atWork.key), resumes: atWork.state.lifecycle.run?.runId as string }
  for (const session of runId ? sessions : [])
    if (await hasRun(session, runId as string)) return { ...existing(session.key), resumes: runId as string }
  return expiredContinuation()
}

/** Procedures never own a line. Null if it only has procedures. */
const ownSession = ({ ports }: Call, line: ConversationLine): Session | null => {
  const keepsLine = ({ key }: Session) => key.agent === ports.defaultAgent || !ports.agents.get(key.agent)?.isProcedure
  return line.own.find(keepsLine) ?? line.called.find(({ key }) => key.agent === ports.defaultAgent) ?? null
}

/** A conversation branches from its line's session if the agent is the same; otherwise it starts fresh. */
const newLine = async (
  call: Call,
  { id }: ConversationLine,
  message: RequestMessage,
  wanted: string | null,
): Promise<Place | Denial> => {
  const { access, ports } = call
  const fresh = (parentSessionId: string | null): Place => ({
    target: { key: { tenant: access.tenant, agent: wanted ?? ports.defaultAgent, id }, parentSessionId },
  })
  const lineId = await namedLineId(call, message)
  if (isDenial(lineId)) return lineId
  if (lineId === id) return fresh(null)
  const line = await findLine(call, lineId)
  if (isDenial(line)) return line
  const own = ownSession(call, line)
  if (line.own.length === 0) return fresh(null)
  if (!own || (wanted !== null && wanted !== own.key.agent)) return fresh(lineId)
  const settings = withoutWorkspace(own.state.lifecycle.settings)
  const answer = await ports.host.branch(own.key, own.state.head, id, { ...(await ownerField(access)), settings })
  // A concurrent request may have branched the conversation already.
  if (isRefusal(answer) && answer.refused !== 'session_exists') return refusalDenial(answer)
  return existing({ ...own.key, id })
}

/** A workspace belongs to one session, and branches on this wire get none. */
const withoutWorkspace = (settings: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => !name.startsWith('workspace_') && name !== 'task_graph_id'),
  )

const existing = (key: Key): Place => ({ target: { key, parentSessionId: null } })

const placeOf = (found: Session | SessionTarget | Denial): Place | Denial =>
  isDenial(found) ? found : 'state' in found ? existing(found.key) : { target: found }
