// The file of an export: lines of JSON. The first says that it is one; each session has a line of its own, followed by its events; the
// last has the counts and the digest of all lines before it. Nothing in it depends on when or where it was written.

import type { LogEntry } from '@bridle/wire/log-entry'
import { Sha256 } from './sha256.ts'

/** The version of the file: a program that finds another one refuses the file. */
export const EXPORT_VERSION = 1

/** A session of an export. */
export interface ExportSession {
  /** The session's id. */
  readonly id: string
  /** The agent of the session. */
  readonly agent: string
  /** Whether people chat in it, or it works in the background. */
  readonly kind: 'chat' | 'background'
  /** The file has only the beginning of the log, as far as branches in the file need it. */
  readonly partial?: true
  /** The event that a branch continues from. Its own events have higher numbers. */
  readonly parent?: { readonly agent: string; readonly id: string; readonly seq: number }
}

/** Writes the lines of a file in their order; each ends with a newline. */
export class ExportWriter {
  readonly #digest = new Sha256()
  #sessions = 0
  #entries = 0

  header(): string {
    return this.#line({ bridle: 'export', version: EXPORT_VERSION, created_by: 'bridle' })
  }

  session(session: ExportSession): string {
    this.#sessions += 1
    return this.#line({ session: sessionFields(session) })
  }

  entry(entry: LogEntry): string {
    this.#entries += 1
    return this.#line(entry)
  }

  /** A line of another file, of a session or of an event. */
  copy(line: string): string {
    if (line.startsWith('{"session":')) this.#sessions += 1
    else this.#entries += 1
    return this.#text(`${line}\n`)
  }

  end(): string {
    const end = { sessions: this.#sessions, entries: this.#entries, digest: `sha256:${this.#digest.hex()}` }
    return `${JSON.stringify({ end })}\n`
  }

  #line(value: object): string {
    return this.#text(`${JSON.stringify(value)}\n`)
  }

  #text(line: string): string {
    this.#digest.add(line)
    return line
  }
}

/** The fields in the order that the file has them. */
export const sessionFields = ({ id, agent, kind, partial, parent }: ExportSession): ExportSession => ({
  ...{ id, agent, kind },
  ...(partial && { partial }),
  ...(parent && { parent: { agent: parent.agent, id: parent.id, seq: parent.seq } }),
})
