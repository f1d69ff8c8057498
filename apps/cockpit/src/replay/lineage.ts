// A session of a file with its whole log: a branch begins with the events of its parent.
import type { ExportContent, LogEntry } from 'bridle/history'

type FileSession = ExportContent['sessions'][number]

interface SessionName {
  readonly id: string
  readonly agent: string
}

export const findSession = ({ sessions }: ExportContent, { id, agent }: SessionName): FileSession | undefined =>
  sessions.find(({ session }) => session.id === id && session.agent === agent)

/** All events of a session, its parents' first. A file names each parent before its branches, so that no two can be each other's. */
export const lineageOf = (content: ExportContent, { session, entries }: FileSession): readonly LogEntry[] => {
  const { parent } = session
  const above = parent && findSession(content, parent)
  if (!above || !parent) return entries
  return [...lineageOf(content, above).filter(({ seq }) => seq <= parent.seq), ...entries]
}

/** A session of the file in the list of its sessions, below its parent. */
export interface ListedSession {
  readonly file: FileSession
  /** How many parents stand above it. */
  readonly depth: number
}

export const listedSessions = (content: ExportContent): readonly ListedSession[] => {
  const depths = new Map<FileSession, number>()
  return content.sessions.map((file) => {
    const above = file.session.parent && findSession(content, file.session.parent)
    const depth = above ? (depths.get(above) ?? 0) + 1 : 0
    depths.set(file, depth)
    return { file, depth }
  })
}
