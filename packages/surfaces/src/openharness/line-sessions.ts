// A line consists of the sessions with its id, and one per agent that a hint has called into it.
import type { Key } from '@bridle/kernel/event'
import { mayOpen, ownerOf } from '@bridle/kernel/owner'
import { openTextQuestion } from '@bridle/kernel/rules/approvals/typed-answers'
import type { Session } from '@bridle/kernel/session/session'
import { viewerOf } from '../http/access/users.ts'
import { type Denial, isDenial, notFound } from '../http/denials/denial.ts'
import type { RouteContext } from '../http/router/route.ts'
import { agentIds } from './line-ids.ts'
import { findOwn } from './session-key.ts'

type LineContext = Pick<RouteContext, 'access' | 'ports'>

export interface ConversationLine {
  readonly id: string
  /** Sessions with the line's id, oldest first. */
  readonly own: readonly Session[]
  /** Sessions of other agents, whose parent is the line. */
  readonly called: readonly Session[]
}

/** A session that may not exist yet, with the options to create it. */
export interface SessionTarget {
  readonly key: Key
  readonly parentSessionId: string | null
  /** Null: no owner. Absent: the caller. */
  readonly owner?: string | null
}

export const findLine = async (context: LineContext, id: string): Promise<ConversationLine | Denial> => {
  const { access, ports } = context
  const keys = await findOwn(context, id)
  if (isDenial(keys)) return keys
  const own = await sessionsOf(context, keys)
  const [first] = own
  if (!first) return { id, own, called: [] }
  const agents = [...ports.agents.keys()].filter((agent) => own.every(({ key }) => key.agent !== agent))
  const viewer = await viewerOf(access)
  const called = await Promise.all(
    agents.map(async (agent) => {
      const session = await findCalled(context, first, agent)
      return session && mayOpen(viewer, ownerOf(session.key, session.state)) ? [session] : []
    }),
  )
  return { id, own, called: called.flat() }
}

export const allOf = ({ own, called }: ConversationLine): readonly Session[] => [...own, ...called]

export const calledSession = async (
  context: LineContext,
  line: ConversationLine,
  agent: string,
): Promise<Session | SessionTarget | Denial> => {
  const found = allOf(line).find(({ key }) => key.agent === agent)
  if (found) return found
  const { access, ports } = context
  const [first] = line.own
  const key = (id: string): Key => ({ tenant: access.tenant, agent, id })
  if (!first) return { key: key(line.id), parentSessionId: null }
  const { plain, hashed } = await agentIds(line.id, agent)
  const isFree = async (id: string): Promise<boolean> =>
    (await ports.directory.find(access.tenant, id)).length === 0 &&
    !(await ports.relatedSessions?.livesElsewhere(key(id)))
  const id = plain !== null && (await isFree(plain)) ? plain : hashed
  if (id === hashed) {
    // A concurrent request may have created it since.
    const made = await findCalled(context, first, agent)
    if (made) return made
    if (!(await isFree(hashed))) return notFound()
  }
  // The line's owner, even if an operator sent the hint.
  const owner = ownerOf(first.key, first.state)
  return { key: key(id), parentSessionId: line.id, owner }
}

/** True if a hint created the session in this line. Other sessions may have such an id too. */
export const isOfLine = ({ key, state }: Session, lineId: string, owner: string | null): boolean => {
  const { parentSessionId, parent, delegation } = state.lifecycle
  return parentSessionId === lineId && parent === null && delegation === null && ownerOf(key, state) === owner
}

/** Sessions with an open text question, newest question first. */
export const askingSessions = (sessions: readonly Session[], now: number): readonly Session[] =>
  sessions
    .flatMap((session) => {
      const question = openTextQuestion(session.state)
      const isOpen = question && (question.expiresAt === null || now < question.expiresAt)
      return isOpen ? [{ session, at: question.requestedAt }] : []
    })
    .toSorted((a, b) => b.at - a.at)
    .map(({ session }) => session)

const findCalled = async ({ ports }: LineContext, first: Session, agent: string): Promise<Session | null> => {
  const { tenant, id: lineId } = first.key
  const owner = ownerOf(first.key, first.state)
  const { plain, hashed } = await agentIds(lineId, agent)
  for (const id of [plain, hashed]) {
    const entries = id === null ? [] : await ports.directory.find(tenant, id)
    const key = entries.map((entry) => entry.key).find((each) => each.agent === agent)
    const session = key && (await ports.host.find(key))
    if (session && isOfLine(session, lineId, owner)) return session
  }
  return null
}

const sessionsOf = async ({ ports }: LineContext, keys: readonly Key[]): Promise<readonly Session[]> => {
  const found = await Promise.all(keys.map((key) => ports.host.find(key)))
  return found.filter((session) => session !== null)
}
