// The past of a session, folded by the same code as on the server. Runs in a page, without a server.

import type { FrontendState } from '@bridle/client/frontend/state'
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import { isOwnPosition, parseCursor, positionInLog } from '@bridle/kernel/positions/cursor'
import { parseEventId } from '@bridle/kernel/positions/log-position'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import type { ChatSession } from '@bridle/wire/frontend/wire'
import type { LogEntry } from '@bridle/wire/log-entry'
import { type FoldedLog, type FoldedState, foldEntry, initialState } from './folded-state.ts'
import { HistoryError } from './history-error.ts'
import { KeptStates } from './kept-states.ts'
import { identityIn, sessionView } from './session-view.ts'

/** Repeated requests return the same object. Enough for a few screens. */
export const MOMENTS_MAX = 64

/** The session of a log, as in the log route and in exports. */
export interface HistorySession {
  /** The session id. */
  readonly id: string
  /** The session's agent. */
  readonly agent: string
  /** The incarnation of its log. Default: 1. */
  readonly incarnation?: number
  /** The event that a branch continues from. */
  readonly parent?: {
    /** The parent's agent. Default: the same agent. */
    readonly agent?: string
    /** The parent's id. */
    readonly id: string
    /** The sequence number of the event. */
    readonly seq: number
    /** The incarnation of the parent's log. Default: 1. */
    readonly incarnation?: number
  } | null
}

/** A session as it was at one of its events. */
export interface SessionAt {
  /** The sequence number of the event. */
  readonly seq: number
  /** The time of the event, in milliseconds since 1970. */
  readonly time: number
  /** The type of the event. */
  readonly type: string
  /** The transport state: messages, calls and approvals. */
  readonly conversation: HarnessState
  /** The answer of `GET /chat/sessions/:id`, with its channel. Facts outside of the log, such as the last heartbeat, are null or absent. */
  readonly session: ChatSession
  /** The state of a debug stream, folded with `reduceFrontend`. */
  readonly events: FrontendState
}

/** The log of a session, and its state at every event. `at` folds from the nearest kept state. */
export class History {
  /** The session of the log. */
  readonly session: HistorySession
  readonly #log: FoldedLog
  readonly #entries: LogEntry[] = []
  #base = 0
  #kept: KeptStates
  #newest: FoldedState
  /** The last requested state, since the next request is usually close by. */
  #last: { readonly seq: number; readonly state: FoldedState } | null = null
  readonly #moments = new Map<number, SessionAt>()
  /** Engines named by status cards, with the card's sequence number, newest last. */
  readonly #identities: { readonly seq: number; readonly identity: EngineIdentity }[] = []

  constructor(session: HistorySession) {
    const { id, agent, incarnation = 1, parent } = session
    this.session = session
    this.#log = {
      // Logs do not name their tenant, and no page depends on it.
      key: { tenant: '', agent, id },
      incarnations: {
        own: incarnation,
        ...(parent && { parent: { id: parent.id, incarnation: parent.incarnation ?? 1 } }),
      },
    }
    this.#newest = initialState(this.#log)
    this.#kept = new KeptStates(0, this.#newest)
  }

  /** The first sequence number; 0 if empty. */
  get first(): number {
    return this.#entries.length === 0 ? 0 : this.#base + 1
  }

  /** The last sequence number; 0 if empty. */
  get head(): number {
    return this.#entries.length === 0 ? 0 : this.#base + this.#entries.length
  }

  /** Adds entries in order. Known ones are skipped, so pages may overlap. Throws a `HistoryError` for an entry that does not fit. */
  append(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      checkShape(entry)
      if (this.#entries.length === 0) this.#begin(entry)
      if (entry.seq <= this.head) this.#checkSame(entry)
      else this.#add(entry)
    }
  }

  /** The entry with this number, if any. */
  entry(seq: number): LogEntry | undefined {
    return this.#entries[seq - this.#base - 1]
  }

  /** Resolves an event id or cursor. Undefined if it belongs to another log or an event that is not here. */
  seqOf(cursor: string): number | undefined {
    const { id, parent } = this.session
    const logs = this.#log.incarnations
    const named = parseCursor(cursor)
    if (named && !isOwnPosition(named, id, parent ? { ...parent, agent: parent.agent ?? this.session.agent } : null))
      return undefined
    const position = named ? positionInLog(named, id, logs) : parseEventId(cursor)
    return position?.incarnation === logs.own && this.entry(position.seq) ? position.seq : undefined
  }

  /** The session as of this event. Throws a `HistoryError` outside `first` to `head`. */
  at(seq: number): SessionAt {
    const entry = this.entry(seq)
    if (!entry) throw new HistoryError('out_of_range', seq, this.#rangeText(seq))
    const remembered = this.#moments.get(seq)
    if (remembered) return remembered
    const moment = this.#momentOf(entry, this.#stateAt(seq))
    this.#moments.set(seq, moment)
    if (this.#moments.size > MOMENTS_MAX) this.#moments.delete(this.#moments.keys().next().value as number)
    return moment
  }

  /** Logs may start above 1, because a reused session id continues its numbers. A fold must start at the first event. */
  #begin({ seq, type }: LogEntry): void {
    if (type !== 'session_created')
      throw new HistoryError(
        'gap',
        seq,
        `A log begins with session_created, not with ${type}. Append it from its first entry.`,
      )
    this.#base = seq - 1
    this.#kept = new KeptStates(this.#base, this.#newest)
  }

  #add(entry: LogEntry): void {
    const { seq } = entry
    if (seq !== this.head + 1 && this.#entries.length > 0)
      throw new HistoryError('gap', seq, `Event ${this.head + 1} comes next, not ${seq}. Append the entries between.`)
    if (entry.at < (this.#entries.at(-1)?.at ?? 0))
      throw new HistoryError('conflict', seq, `Event ${seq} is earlier than the event before. It is of another log.`)
    this.#newest = fold(this.#newest, entry, this.#log)
    this.#entries.push(entry)
    this.#kept.add(seq, this.#newest)
    this.#noteIdentity(entry)
  }

  #checkSame(entry: LogEntry): void {
    const known = this.entry(entry.seq)
    if (known?.type !== entry.type || known.at !== entry.at || known.run !== entry.run)
      throw new HistoryError(
        'conflict',
        entry.seq,
        `Event ${entry.seq} is not the one that is here. It is of another log, or of another incarnation: begin a new history.`,
      )
  }

  #stateAt(seq: number): FoldedState {
    if (seq === this.head) return this.#newest
    const kept = this.#kept.nearest(seq)
    const from = this.#last && this.#last.seq <= seq && this.#last.seq > kept.seq ? this.#last : kept
    let { state } = from
    for (let each = from.seq + 1; each <= seq; each++) state = foldEntry(state, this.entry(each) as LogEntry, this.#log)
    this.#last = { seq, state }
    return state
  }

  /** Views are lazy: dragging a scrubber skips most moments. */
  #momentOf({ seq, at, type }: LogEntry, { session: state, events }: FoldedState): SessionAt {
    let session: ChatSession | null = null
    const view = (): ChatSession => sessionView(this.#log, state, this.#identityAt(seq), (each) => this.entry(each))
    return {
      ...{ seq, time: at, type, conversation: state.conversation, events },
      get session() {
        session ??= view()
        return session
      },
    }
  }

  #noteIdentity(entry: LogEntry): void {
    const identity = identityIn(entry)
    const last = this.#identities.at(-1)?.identity
    if (identity && (identity.engine !== last?.engine || identity.runnerKind !== last.runnerKind))
      this.#identities.push({ seq: entry.seq, identity })
  }

  /** Before the first card, the engine was the one that it names. */
  #identityAt(seq: number): EngineIdentity | undefined {
    return (this.#identities.findLast((each) => each.seq <= seq) ?? this.#identities[0])?.identity
  }

  #rangeText(seq: number): string {
    return this.#entries.length === 0
      ? 'The history is empty: append the entries of a log first.'
      : `There is no event ${seq}. Take a number from ${this.first} to ${this.head}.`
  }
}

const fold = (state: FoldedState, entry: LogEntry, log: FoldedLog): FoldedState => {
  try {
    return foldEntry(state, entry, log)
  } catch (cause) {
    throw new HistoryError(
      'unreadable',
      entry.seq,
      `Event ${entry.seq} (${entry.type}) has a content that no session writes. Take the log from its server again.`,
      cause,
    )
  }
}

const checkShape = (entry: LogEntry): void => {
  const { seq, at, type, payload } = (entry ?? {}) as Partial<LogEntry>
  const isEntry =
    Number.isSafeInteger(seq) &&
    (seq as number) > 0 &&
    Number.isFinite(at) &&
    typeof type === 'string' &&
    typeof payload === 'object' &&
    payload !== null
  if (!isEntry)
    throw new HistoryError('invalid', seq ?? 0, 'An entry has a number from 1, a time, a type and a payload.')
}
