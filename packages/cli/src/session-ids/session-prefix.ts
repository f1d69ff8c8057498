import { FabricError } from '@bridle/client/http/error'
import type { FabricClient, SessionDetail, SessionFilter, SessionRow } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { EXIT_CODES, ExitError, failure, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { CANDIDATES_MAX, LIST_PAGE } from '../command/limits.ts'
import { allPages } from '../config/all-pages.ts'
import { checkAgent } from './unknown-agent.ts'

/**
 * Acts on the session with exactly this id, or the only one with this prefix. Without an agent, lists the sessions first:
 * the server would take the oldest of several agents' sessions with this id (H15).
 */
export const withSession = async <T>(
  fabric: FabricClient,
  text: string,
  agent: string | undefined,
  act: (id: string) => Promise<T>,
  /** How to select one session among several with the same id. */
  choiceOf: (row: SessionRow) => string = ({ agent: name }) => `--agent ${name}`,
): Promise<T> => {
  const listed = agent === undefined ? await listedSessions(fabric, text) : null
  checkOneAgent(listed?.filter(({ id }) => id === text) ?? [], choiceOf)
  try {
    return await act(text)
  } catch (error) {
    if (!isNotFound(error)) throw error
    const found = listed ?? (await sessionsByPrefix(fabric, text, agent))
    if (agent !== undefined && found.length === 0) await checkOtherAgents(fabric, text, agent)
    if (found.length === 0)
      throw new NoSessionError(text, fabric.url, nearestName(text, await newestIds(fabric, agent)))
    const id = idByPrefix(text, found, choiceOf)
    // The session exists, so the server misses something else, such as an approval.
    if (id === text) throw error
    return act(id)
  }
}

export const findSession = (
  fabric: FabricClient,
  text: string,
  agent: string | undefined,
  choiceOf?: (row: SessionRow) => string,
): Promise<SessionDetail> => withSession(fabric, text, agent, (id) => fabric.session(id, agent), choiceOf)

export const isNotFound = (error: unknown): boolean => error instanceof FabricError && error.status === 404

/** Null if the token may not list sessions. It may still answer approvals. */
const listedSessions = (fabric: FabricClient, text: string): Promise<readonly SessionRow[] | null> =>
  sessionsByPrefix(fabric, text, undefined).catch((error: unknown) => {
    if (error instanceof FabricError && error.status === 403) return null
    throw error
  })

/** Throws if the prefix is ambiguous. `found` is not empty. */
const idByPrefix = (text: string, found: readonly SessionRow[], choiceOf: (row: SessionRow) => string): string => {
  const ids = [...new Set(found.map(({ id }) => id))]
  if (ids.includes(text)) return text
  const [first = '', ...others] = ids
  if (others.length > 0) throw usageError(ambiguityText(text, ids))
  checkOneAgent(found, choiceOf)
  return first
}

const checkOneAgent = (found: readonly SessionRow[], choiceOf: (row: SessionRow) => string): void => {
  const [first, ...others] = found
  if (first === undefined || others.length === 0) return
  throw usageError(
    [`${first.id} is a session of ${found.length} agents. Say which:`, ...candidateLines(found.map(choiceOf))].join(
      '\n',
    ),
  )
}

/** Throws if the agent does not exist, or only other agents have such sessions. */
const checkOtherAgents = async (fabric: FabricClient, text: string, agent: string): Promise<void> => {
  await checkAgent(fabric, agent)
  const listed = (await listedSessions(fabric, text)) ?? []
  const exact = listed.filter(({ id }) => id === text)
  const others = exact.length > 0 ? exact : listed
  if (others.length === 0) return
  const rows = others.map((row) => `${row.id} --agent ${row.agent}`)
  throw failure(
    [`The agent ${agent} has no session ${text}. Other agents have one:`, ...candidateLines(rows)].join('\n'),
  )
}

export const sessionsByPrefix = async (
  fabric: FabricClient,
  text: string,
  agent: string | undefined,
): Promise<readonly SessionRow[]> => {
  const found = new Map<string, SessionRow>()
  const filter = { search: text, archived: 'all' as const, order: 'created' as const, limit: LIST_PAGE }
  const read = (cursor: string | undefined) => fabric.sessions({ ...filter, ...present({ agent, cursor }) })
  // The search also matches titles. Read all pages: a missed candidate would mean acting on the wrong session.
  for await (const page of allPages(read))
    for (const row of page.sessions) if (row.id.startsWith(text)) found.set(JSON.stringify([row.agent, row.id]), row)
  return [...found.values()]
}

export const newestSession = async (
  fabric: Pick<FabricClient, 'sessions'>,
  filter: SessionFilter,
): Promise<SessionRow | null> => {
  const read = (cursor: string | undefined) => fabric.sessions({ ...filter, limit: 1, ...present({ cursor }) })
  for await (const page of allPages(read)) if (page.sessions[0]) return page.sessions[0]
  return null
}

export const newestIds = async (fabric: FabricClient, agent?: string): Promise<readonly string[]> => {
  const filter = { archived: 'all' as const, limit: LIST_PAGE, ...present({ agent }) }
  const { sessions } = await fabric.sessions(filter).catch(() => ({ sessions: [] }))
  return [...new Set(sessions.map(({ id }) => id))]
}

/** No session has this id. Names the server, because another one may use the expected port. */
export class NoSessionError extends ExitError {
  constructor(text: string, url: string, near: string | null) {
    const next =
      near !== null ? `Did you mean ${near}?` : `Try ${commandName()} sessions, or name another server with --url.`
    super(EXIT_CODES.failed, `There is no session ${text} on the server at ${url}. ${next}`)
    this.name = 'NoSessionError'
  }
}

const ambiguityText = (text: string, ids: readonly string[]): string =>
  [`${text} is the beginning of ${ids.length} ids. Say more of it:`, ...candidateLines(ids)].join('\n')

const candidateLines = (candidates: readonly string[]): readonly string[] => {
  const more = candidates.length - CANDIDATES_MAX
  return [
    ...candidates.slice(0, CANDIDATES_MAX).map((each) => `  ${each}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}
