// A header, sessions with their events, then counts and a digest. The content does not depend on when or where it was written.

import type { LogEntry } from '@bridle/wire/log-entry'
import { Sha256 } from './sha256.ts'

/** Programs refuse files of any other version. */
export const EXPORT_VERSION = 1

/** A session of an export. */
export interface ExportSession {
  /** The session id. */
  readonly id: string
  /** The session's agent. */
  readonly agent: string
  /** Conversation or background work. */
  readonly kind: 'chat' | 'background'
  /** The file only has the part of the log that its branches need. */
  readonly partial?: true
  /** The parent event of a branch. The branch's own events have higher numbers. */
  readonly parent?: { readonly agent: string; readonly id: string; readonly seq: number }
}

/** Each line ends with a newline. */
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

  /** Copies a line of another file verbatim. */
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

export const sessionFields = ({ id, agent, kind, partial, parent }: ExportSession): ExportSession => ({
  ...{ id, agent, kind },
  ...(partial && { partial }),
  ...(parent && { parent: { agent: parent.agent, id: parent.id, seq: parent.seq } }),
})
