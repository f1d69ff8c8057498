// Pages of a session's log as entries.
import { entryWithoutContent, type LogEntry } from '../../../history/log-entry.ts'
import { entryOf } from '../../../history/scrubbed-entry.ts'
import type { Session } from '../../../kernel/session/session.ts'
import { LOG_PAGE_CHARS } from '../limits.ts'
import type { LogSession } from '../wire.ts'

export const logSessionOf = ({ key, state: { lifecycle }, incarnations }: Session): LogSession => ({
  id: key.id,
  agent: key.agent,
  kind: lifecycle.kind,
  ...(lifecycle.parent && {
    parent: { ...lifecycle.parent, incarnation: incarnations.parent?.incarnation ?? 1 },
  }),
})

export interface LogPageOptions {
  readonly after: number
  readonly limit: number
  readonly withContent: boolean
}

/** The entries behind `after`, as many as a page holds. A page has at least one entry where there is one. */
export const logEntries = async (
  session: Session,
  { after, limit, withContent }: LogPageOptions,
): Promise<LogEntry[]> => {
  const entries: LogEntry[] = []
  let seen = after
  for (let chars = 0; entries.length < limit && chars < LOG_PAGE_CHARS; ) {
    const missing = limit - entries.length
    const events = withContent ? await session.readWithContent(seen, missing) : await session.read(seen, missing)
    const last = events.at(-1)
    if (!last) break
    for (const event of events) {
      const entry = withContent ? entryOf(event) : entryWithoutContent(entryOf(event))
      entries.push(entry)
      chars += JSON.stringify(entry.payload).length
    }
    seen = last.seq
  }
  return entries
}
