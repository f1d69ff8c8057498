// Events: a session is an append-only list of them, and everything else is derived from that list.
import type { EventType } from '@bridle/events/catalogue'
import type { Payloads } from '@bridle/events/schemas'
import { positionText } from './positions/log-position.ts'

/** The name of a session. The tenant is part of it, so no request can name a session of another tenant. */
export interface Key {
  /** The tenant that the session belongs to. */
  readonly tenant: string
  /** The name of the agent. */
  readonly agent: string
  /** The session's id, unique for the agent and tenant. */
  readonly id: string
}

/** An event before it has a number and a time. */
export interface EventDraft<T extends EventType = EventType> {
  readonly type: T
  readonly payload: Payloads[T]
  /** The run and attempt it belongs to. */
  readonly run?: string
  readonly attempt?: number
  /** The stopped attempt that this one continues. Clients see both as one. */
  readonly continues?: number
  /** Position in the runner's stream, on events that come from its report: where to re-attach. */
  readonly frame?: number
  /** A runner reported a fact that only the kernel decides. The event is kept and shown, and no fold believes it. */
  readonly hearsay?: true
}

/** A numbered event. A number is final: the event never changes again. */
export interface Event<T extends EventType = EventType> extends EventDraft<T> {
  /** Dense, from 1; a branch continues its parent's numbers. */
  readonly seq: number
  /** Milliseconds, never less than the event before. */
  readonly at: number
}

/** A draft of any type, as a union that narrows by `type`. */
export type AnyEventDraft = { [T in EventType]: EventDraft<T> }[EventType]
/** An event of any type, as a union that narrows by `type`. */
export type AnyEvent = { [T in EventType]: Event<T> }[EventType]

/** The incarnation is that of the log; see docs/protocol/session.md. */
export const eventId = (seq: number, incarnation = 1): string => `ev-${positionText(seq, incarnation)}`

/** A key as one string, for maps. The id grammar has no slash, so two keys never collide. */
export const keyText = (key: Key): string => `${key.tenant}/${key.agent}/${key.id}`

/** `.` and `..` are not ids: a URL path resolves them, so such a session could not be requested. */
const idGrammar = /^(?!\.{1,2}$)[A-Za-z0-9._:@-]{1,128}$/
export const isId = (value: unknown): value is string => typeof value === 'string' && idGrammar.test(value)

/** The reason that ends open calls and turns in a branch: they continue in the parent, and nothing failed. */
export const BRANCHED = 'branched'
/** The reason that ends open calls and turns of an imported log: they may continue elsewhere, and never here. */
export const IMPORTED = 'imported'
