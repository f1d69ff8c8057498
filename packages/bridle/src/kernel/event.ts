// What happened. A session is an append-only list of these; everything else is derived from it.
import type { EventType } from './catalogue.ts'
import { positionText } from './positions/log-position.ts'
import type { Payloads } from './schemas.ts'

/** Names a session. The tenant is part of the key, so a foreign id cannot even be asked for. */
export interface Key {
  readonly tenant: string
  readonly agent: string
  readonly id: string
}

/** An event before it has a number and a time. */
export interface EventDraft<T extends EventType = EventType> {
  readonly type: T
  readonly payload: Payloads[T]
  /** The run and attempt it belongs to. */
  readonly run?: string
  readonly attempt?: number
  /** The attempt that this one goes on from, where that was stopped and kept. Clients are shown the two as one. */
  readonly continues?: number
  /** Set on what came of a runner's report: its position in the runner's stream, where to re-attach. */
  readonly frame?: number
  /** A runner said what only the kernel decides: kept and shown, believed by no fold. */
  readonly hearsay?: true
}

/** A numbered event. After numbering it never changes. */
export interface Event<T extends EventType = EventType> extends EventDraft<T> {
  /** Dense, from 1 (a branch goes on from its parent's number). */
  readonly seq: number
  /** Milliseconds, never less than the event before. */
  readonly at: number
}

/** A draft of any type, as a union that narrows by `type`. */
export type AnyEventDraft = { [T in EventType]: EventDraft<T> }[EventType]
export type AnyEvent = { [T in EventType]: Event<T> }[EventType]

/** The incarnation is that of the log; see docs/protocol/session.md. */
export const eventId = (seq: number, incarnation = 1): string => `ev-${positionText(seq, incarnation)}`

/** One string per key, for maps. The id grammar has no slash, so this cannot collide. */
export const keyText = (key: Key): string => `${key.tenant}/${key.agent}/${key.id}`

/** `.` and `..` are no ids: in a path they mean another place, so what had such a name could not be asked for. */
const idGrammar = /^(?!\.{1,2}$)[A-Za-z0-9._:@-]{1,128}$/
export const isId = (value: unknown): value is string => typeof value === 'string' && idGrammar.test(value)

/** Why a call and a turn end in a branch that left in their middle: they went on in the parent, and nothing failed. */
export const BRANCHED = 'branched'
