// Checks a file line by line: header and end, sessions, and the events of each.

import { isDeeperThan, isJsonObject, type JsonObject } from '@bridle/events/json'
import { DEPTH_MAX, LINEAGE_MAX } from '@bridle/events/limits'
import { isId } from '@bridle/kernel/event'
import type { LogEntry } from '@bridle/wire/log-entry'
import { EntryChecks } from './entry-checks.ts'
import { ExportError, NO_EXPORT } from './export-error.ts'
import { EXPORT_VERSION, type ExportSession, sessionFields } from './export-file.ts'
import { Sha256 } from './sha256.ts'

/** More than anyone reads through, yet few enough to look up each one. */
export const EXPORT_SESSIONS_MAX = 10_000

/** A session of a file with its own events. A branch's events start after the branch point. */
export interface ExportedSession {
  /** The session. */
  readonly session: ExportSession
  /** The session's own events, in sequence order. */
  readonly entries: readonly LogEntry[]
  /** The line with the session; its events follow. */
  readonly line: number
  /** Total characters of all payloads. */
  readonly chars: number
}

/** The content of an export. */
export interface ExportContent {
  /** Sessions, each parent before its branches. */
  readonly sessions: readonly ExportedSession[]
  /** The digest in the last line of the file. */
  readonly digest: string
}

/** Additional checks, and how to yield to other work. */
export interface ReadExportOptions {
  /** The problem of a payload, or null. */
  readonly payloadProblem?: (type: string, payload: JsonObject) => string | null
  /** Called after each slice of the file, so that other work gets a turn. Rejecting aborts the read. Default: the next task. */
  readonly nextTurn?: () => Promise<void>
}

export interface SessionLines {
  readonly session: ExportSession
  readonly line: number
  readonly entries: number
  /** The byte range, end excluded. */
  readonly from: number
  readonly to: number
}

interface ReaderOptions extends ReadExportOptions {
  readonly keepsEntries?: boolean
  /** Digest of everything before the last line, and the offset of that line. Null: computed while reading. */
  readonly digest?: FileDigest | null
}

export interface FileDigest {
  readonly hex: string
  readonly lastLineAt: number
}

export class ExportReader {
  readonly #options: ReaderOptions
  readonly #digest = new Sha256()
  readonly #sessions: OpenSession[] = []
  readonly #names = new Map<string, OpenSession>()
  #lines = 0
  #entries = 0
  #endAt = 0
  #end: string | null = null

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /** `at`: the offset of the line. */
  add(text: string, at: number): void {
    this.#lines += 1
    const line = this.#lines
    if (this.#end !== null) throw new ExportError(line, GOES_ON)
    const value = parse(text, line)
    if (line === 1) checkHeader(value)
    else if (Object.hasOwn(value, 'end')) this.#readEnd(value, text, line, at)
    else if (Object.hasOwn(value, 'session')) this.#addSession(value, text, line, at)
    else this.#addEntry(value, text, line)
    if (this.#end === null && !this.#options.digest) this.#digest.add(`${text}\n`)
  }

  content(): ExportContent {
    if (this.#end === null)
      throw new ExportError(this.#lines + 1, 'The file is cut off: its last line is missing. Export it again.')
    return {
      sessions: this.#sessions.map(({ session, entries, line, chars }) => ({ session, entries, line, chars })),
      digest: this.#end,
    }
  }

  /** The lines of the last session end at the last line of the file. */
  places(): readonly SessionLines[] {
    return this.#sessions.map(({ session, line, count, from }, index) => ({
      ...{ session, line, entries: count, from },
      to: this.#sessions[index + 1]?.from ?? this.#endAt,
    }))
  }

  #addSession(value: JsonObject, text: string, line: number, from: number): void {
    this.#checkLast(line)
    const session = sessionOf(value.session, line)
    if (text !== JSON.stringify({ session })) throw new ExportError(line, CHANGED)
    if (this.#sessions.length >= EXPORT_SESSIONS_MAX)
      throw new ExportError(line, `A file has at most ${EXPORT_SESSIONS_MAX} sessions. Export fewer at a time.`)
    if (this.#find(session))
      throw new ExportError(line, `The session "${session.id}" is in the file twice. Export it again.`)
    const { parent } = session
    const above = parent && this.#find(parent)
    const level = above ? above.level + 1 : 1
    if (level > LINEAGE_MAX) throw new ExportError(line, tooDeepText(session.id))
    const at = above && parent ? above.checks.timeAt(parent.seq) : null
    if (above && at === undefined)
      throw new ExportError(
        line,
        `The parent "${parent?.id}" has no event ${parent?.seq} in this file. Export them together.`,
      )
    const open: OpenSession = {
      ...{ session, line, from, entries: [], count: 0, chars: 0, level },
      checks: new EntryChecks({ session, above: above?.checks ?? null, startsAt: at ?? 0 }),
    }
    this.#sessions.push(open)
    this.#names.set(nameOf(session), open)
  }

  #addEntry(value: JsonObject, text: string, line: number): void {
    const open = this.#sessions.at(-1)
    if (!open) throw new ExportError(line, 'An event without a session before it. Export it again.')
    const entry = open.checks.check(value, text, line)
    const problem = entry.withheld ? null : (this.#options.payloadProblem?.(entry.type, entry.payload) ?? null)
    if (problem !== null)
      throw new ExportError(
        line,
        `The payload does not fit its type: ${problem}. Import it into a server that wrote it.`,
      )
    if (this.#options.keepsEntries !== false) open.entries.push(entry)
    open.count += 1
    // The payload is the last field of a line, and a quote within text would be escaped.
    open.chars += text.length - text.indexOf(PAYLOAD) - PAYLOAD.length - 1
    this.#entries += 1
  }

  #readEnd({ end }: JsonObject, text: string, line: number, at: number): void {
    this.#checkLast(line)
    const counts = { sessions: this.#sessions.length, entries: this.#entries }
    const { digest: known } = this.#options
    if (known && known.lastLineAt !== at) throw new ExportError(line + 1, GOES_ON)
    const digest = `sha256:${known?.hex ?? this.#digest.hex()}`
    if (!isJsonObject(end) || end.digest !== digest)
      throw new ExportError(line, 'The digest does not match: the file was changed or damaged. Export it again.')
    if (text !== JSON.stringify({ end: { ...counts, digest } }))
      throw new ExportError(line, 'The counts do not match: lines are missing. Export it again.')
    if (counts.sessions === 0) throw new ExportError(line, 'The file has no session. Export at least one.')
    this.#end = digest
    this.#endAt = at
  }

  /** A session without events does not exist. */
  #checkLast(line: number): void {
    const last = this.#sessions.at(-1)
    if (last?.count === 0)
      throw new ExportError(line, `The session "${last.session.id}" has no event. Export it again.`)
  }

  #find(session: SessionName): OpenSession | undefined {
    return this.#names.get(nameOf(session))
  }
}

interface OpenSession extends ExportedSession {
  readonly entries: LogEntry[]
  readonly from: number
  readonly checks: EntryChecks
  /** The number of ancestors in the file, plus one. */
  readonly level: number
  count: number
  chars: number
}

type SessionName = Pick<ExportSession, 'id' | 'agent'>
const nameOf = ({ agent, id }: SessionName): string => `${agent}/${id}`

/** No server creates such a session. */
export const tooDeepText = (id: string): string =>
  `The session "${id}" is more than ${LINEAGE_MAX} branches deep. Export a session nearer to the first one, with branches=none.`

const GOES_ON = 'The file goes on after its last line. Export it again.'
const EXPORT_AGAIN = 'Export it again, and do not edit the file.'
const PAYLOAD = ',"payload":'
const CHANGED = `The line is not as a server writes it. ${EXPORT_AGAIN}`

const parse = (text: string, line: number): JsonObject => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ExportError(line, line === 1 ? NO_EXPORT : 'The line is not JSON: the file is damaged. Export it again.')
  }
  if (!isJsonObject(value)) throw new ExportError(line, line === 1 ? NO_EXPORT : CHANGED)
  if (isDeeperThan(value, DEPTH_MAX + 2))
    throw new ExportError(line, `The line has more than ${DEPTH_MAX} levels. No server writes such a line.`)
  return value
}

const checkHeader = ({ bridle, version }: JsonObject): void => {
  if (bridle !== 'export') throw new ExportError(1, NO_EXPORT)
  if (!isSeq(version)) throw new ExportError(1, `The first line has no version. ${EXPORT_AGAIN}`)
  if (version !== EXPORT_VERSION)
    throw new ExportError(
      1,
      `The file has version ${version}, and this program reads version ${EXPORT_VERSION}. Use a newer program.`,
    )
}

const sessionOf = (value: unknown, line: number): ExportSession => {
  const { id, agent, kind, partial, parent } = isJsonObject(value) ? value : ({} as JsonObject)
  const isParent =
    parent === undefined || (isJsonObject(parent) && isId(parent.id) && isId(parent.agent) && isSeq(parent.seq))
  if (!isId(id) || !isId(agent) || (kind !== 'chat' && kind !== 'background') || !isParent)
    throw new ExportError(line, CHANGED)
  return sessionFields({
    ...{ id, agent, kind },
    ...(partial === true && { partial }),
    ...(parent !== undefined && { parent: parent as unknown as NonNullable<ExportSession['parent']> }),
  })
}

const isSeq = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0
