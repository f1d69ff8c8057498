// The log of a session, and what an import brought.
import type { LogEntry } from '../../../history/log-entry.ts'

/** The identity of a session in its log and in an export. */
export interface LogSession {
  /** The session's id. */
  readonly id: string
  /** The agent of the session. */
  readonly agent: string
  /** Whether people chat in it, or it works in the background. */
  readonly kind: 'chat' | 'background'
  /** The event of another session that this one branches from; absent: it is no branch. */
  readonly parent?: {
    readonly agent: string
    readonly id: string
    readonly seq: number
    /** The incarnation of the parent's log. */
    readonly incarnation: number
  }
}

/** The answer to an import. */
export interface ImportReceipt {
  /** The sessions of the file, in its order. */
  readonly sessions: readonly {
    /** The id of the session on this server. */
    readonly id: string
    /** The agent of the session. */
    readonly agent: string
    /** How many events of the file it has. */
    readonly events: number
    /** True where the server had these events already, and nothing was written. */
    readonly existing?: boolean
    /** The id in the file, where another session has it here. */
    readonly renamed_from?: string
    /** Settings of the file that do not hold here: workspaces, and whatever a caller could not choose. At most 20; absent = none. */
    readonly ignored?: readonly string[]
  }[]
}

/** A page of the log of a session. */
export interface SessionLogPage {
  /** The session that the log belongs to. */
  readonly session: LogSession
  /** Events in the order of their numbers, without a gap; those of a branch begin with its parent's. */
  readonly entries: readonly LogEntry[]
  /** The number of the newest event. */
  readonly head: number
  /** The incarnation of the log: numbers of another one name other events. */
  readonly incarnation: number
  /** Pass it as `after` for the next page; null: the page ends at the head. */
  readonly next: number | null
}
