import type { EventType } from '@bridle/events/catalogue'
import type { Payloads } from '@bridle/events/schemas'
import { positionText } from './positions/log-position.ts'

/** The name of a session. It includes the tenant, so no request can name a session of another tenant. */
export interface Key {
  /** The tenant that the session belongs to. */
  readonly tenant: string
  /** The name of the agent. */
  readonly agent: string
  /** The session's id, unique for the agent and tenant. */
  readonly id: string
}

/** An event without a number and a time. */
export interface EventDraft<T extends EventType = EventType> {
  readonly type: T
  readonly payload: Payloads[T]
  /** The run and attempt that it belongs to. */
  readonly run?: string
  readonly attempt?: number
  /** The stopped attempt that this one continues. Clients see both as one. */
  readonly continues?: number
  /** Position in the runner's stream, from which to reattach. */
  readonly frame?: number
  /** A fact that a runner reported although only the kernel decides it. Kept and shown, but ignored by folds. */
  readonly hearsay?: true
}

/** A numbered event. It never changes. */
export interface Event<T extends EventType = EventType> extends EventDraft<T> {
  /** Dense, from 1; a branch continues its parent's numbers. */
  readonly seq: number
  /** Milliseconds, never decreasing. */
  readonly at: number
}

/** A draft of any type, as a union that narrows by `type`. */
export type AnyEventDraft = { [T in EventType]: EventDraft<T> }[EventType]
/** An event of any type, as a union that narrows by `type`. */
export type AnyEvent = { [T in EventType]: Event<T> }[EventType]

/** `incarnation`: the log's, see docs/protocol/session.md. */
export const eventId = (seq: number, incarnation = 1): string => `ev-${positionText(seq, incarnation)}`

/** For use in maps. Ids contain no slash, so keys cannot collide. */
export const keyText = (key: Key): string => `${key.tenant}/${key.agent}/${key.id}`

/** URL paths resolve `.` and `..`, so they cannot be ids. */
const idGrammar = /^(?!\.{1,2}$)[A-Za-z0-9._:@-]{1,128}$/
export const isId = (value: unknown): value is string => typeof value === 'string' && idGrammar.test(value)

/** Closes open calls and turns in a branch: they continue in the parent, so nothing failed. */
export const BRANCHED = 'branched'
/** Closes open calls and turns of an imported log: they may continue elsewhere, but not here. */
export const IMPORTED = 'imported'
