// A log that lost its newest events reuses numbers that clients have seen, so it gets a new incarnation, and every number that
// leaves the server names its incarnation. Stored events do not: wires add the incarnation in which they are read.

import type { Json } from '@bridle/events/json'
import { type AnyEvent, eventId, type Key } from '../event.ts'
import { eventSeq } from '../ids.ts'
import type { Lease } from '../ports/log.ts'
import { positionText } from './log-position.ts'

export interface Incarnations {
  readonly own: number
  readonly parent?: { readonly id: string; readonly incarnation: number }
}

export const FIRST_INCARNATIONS: Incarnations = { own: 1 }

/** Only changes event ids and cursors in fields that the kernel writes. Returns the same object in a first incarnation. */
export const withIncarnations = <T>(value: T, sessionId: string, logs: Incarnations): T => {
  return isFirst(logs) ? value : (addIncarnations(value as Json, '', sessionId, logs) as T)
}

const isFirst = ({ own, parent }: Incarnations): boolean =>
  own === 1 && (parent === undefined || parent.incarnation === 1)

/** Only for payloads that the kernel writes: a tool's arguments must not change. */
export const eventWithIncarnations = <E extends AnyEvent>(event: E, key: Key, logs: Incarnations): E =>
  isFirst(logs) || !EVENTS_WITH_POSITIONS.has(event.type)
    ? event
    : { ...event, payload: withIncarnations(event.payload, key.id, logs) }

const EVENTS_WITH_POSITIONS = new Set<string>([
  'branched',
  'session_state',
  'session_checkpoint',
  'context_compacted',
  'health_changed',
] satisfies AnyEvent['type'][])

const EVENT_IDS = new Set(['event_id', 'evidence'])
const PARENT_EVENT_IDS = new Set(['source_event_id', 'branch_source_event_id'])
const CURSORS = new Set(['resume_cursor', 'branch_resume_cursor'])

const addIncarnations = (value: Json, name: string, sessionId: string, logs: Incarnations): Json => {
  if (typeof value === 'string') return addIncarnationToText(value, name, sessionId, logs)
  if (Array.isArray(value)) return value.map((each) => addIncarnations(each, name, sessionId, logs))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, addIncarnations(each, key, sessionId, logs)]),
  )
}

const addIncarnationToText = (text: string, name: string, sessionId: string, { own, parent }: Incarnations): string => {
  if (CURSORS.has(name))
    return cursorIn(text, sessionId, own) ?? cursorIn(text, parent?.id, parent?.incarnation) ?? text
  const incarnation = EVENT_IDS.has(name) ? own : PARENT_EVENT_IDS.has(name) ? (parent?.incarnation ?? 1) : 1
  const seq = eventSeq(text)
  return seq === null ? text : eventId(seq, incarnation)
}

/** Null if the cursor belongs to another session. */
const cursorIn = (text: string, sessionId: string | undefined, incarnation = 1): string | null => {
  if (sessionId === undefined) return null
  const [, before, seq] = /^([a-z_]{1,32}:.{1,128}:)(\d{1,15})(?:~\d{1,9})?$/.exec(text) ?? []
  return before?.endsWith(`:${sessionId}:`) && before.indexOf(':') === before.length - sessionId.length - 2
    ? `${before}${positionText(Number(seq), incarnation)}`
    : null
}

export const incarnationsOf = ({
  incarnation,
  parent,
  parentIncarnation,
}: Pick<Lease, 'incarnation' | 'parent' | 'parentIncarnation'>): Incarnations => ({
  own: incarnation,
  ...(parent && { parent: { id: parent.id, incarnation: parentIncarnation ?? 1 } }),
})
