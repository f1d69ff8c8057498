// A session named by the first characters of its id.
import { FabricError } from '../../client/fabric/error.ts'
import type { OperatorClient, SessionRow } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import { EXIT_CODES, ExitError } from '../command.ts'
import { commandName } from '../command-name.ts'
import { CANDIDATES_MAX, PREFIX_PAGE } from '../limits.ts'

/**
 * Acts on the session that a text names: the one with exactly this id, else the only one whose id begins with it. The act is
 * tried first with the text as it is, so a whole id costs no search and always wins.
 */
export const withSession = async <T>(
  fabric: OperatorClient,
  text: string,
  agent: string | undefined,
  act: (id: string) => Promise<T>,
): Promise<T> => {
  try {
    return await act(text)
  } catch (error) {
    if (!isNotFound(error)) throw error
    const id = await idByPrefix(fabric, text, agent)
    // The session is there: the server does not know something else, such as an approval.
    if (id === text) throw error
    return act(id)
  }
}

export const isNotFound = (error: unknown): boolean => error instanceof FabricError && error.status === 404

/** Throws where no session, or more than one, has an id that begins so. */
const idByPrefix = async (fabric: OperatorClient, text: string, agent: string | undefined): Promise<string> => {
  const found = await sessionsByPrefix(fabric, text, agent)
  if (found.has(text)) return text
  const [first, ...others] = found.keys()
  if (first === undefined) throw new NoSessionError(text, fabric.url)
  if (others.length > 0) throw new ExitError(EXIT_CODES.usage, ambiguityText(text, [...found.values()]))
  return first
}

/** The sessions whose ids begin so, by id; as soon as one has exactly this id, no further ones. */
export const sessionsByPrefix = async (
  fabric: OperatorClient,
  text: string,
  agent: string | undefined,
): Promise<ReadonlyMap<string, SessionRow>> => {
  const found = new Map<string, SessionRow>()
  let cursor: string | undefined
  do {
    // The search also finds titles. All pages are read: one candidate too few would act on the wrong session.
    const filter = { search: text, archived: 'all' as const, order: 'created' as const, limit: PREFIX_PAGE }
    const page = await fabric.sessions({ ...filter, ...present({ agent, cursor }) })
    for (const row of page.sessions) if (row.id.startsWith(text)) found.set(row.id, row)
    cursor = page.next
  } while (cursor !== undefined && !found.has(text))
  return found
}

/** No session of the server has such an id. The message names the server: another one may have the port that a person thinks of. */
export class NoSessionError extends ExitError {
  constructor(text: string, url: string) {
    const next = `Try ${commandName()} sessions, or name another server with --url.`
    super(EXIT_CODES.failed, `There is no session ${text} on the server at ${url}. ${next}`)
    this.name = 'NoSessionError'
  }
}

const ambiguityText = (text: string, candidates: readonly SessionRow[]): string => {
  const shown = candidates.slice(0, CANDIDATES_MAX)
  const more = candidates.length - shown.length
  return [
    `${text} is the beginning of ${candidates.length} ids. Say more of it:`,
    ...shown.map(({ id }) => `  ${id}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}
