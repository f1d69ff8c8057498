// The incarnation of a log. A log whose newest events were lost continues with numbers that clients have seen as other events, so it
// gets another incarnation, and every number that leaves the server names the incarnation it belongs to. Stored events name none:
// the numbers in them belong to the incarnation in which they are read. The wires add it.

import type { Json } from '@bridle/events/json'
import { type AnyEvent, eventId, type Key } from '../event.ts'
import { eventSeq } from '../ids.ts'
import type { Lease } from '../ports/log.ts'
import { positionText } from './log-position.ts'

/** The incarnation of a session's log, and of the log that it branched from. */
export interface Incarnations {
  readonly own: number
  readonly parent?: { readonly id: string; readonly incarnation: number }
}

export const FIRST_INCARNATIONS: Incarnations = { own: 1 }

/**
 * Adds the incarnation to the event ids and cursors in a stored event or a fold. Only the fields that the kernel writes change;
 * in a first incarnation the value stays the same object.
 */
export const withIncarnations = <T>(value: T, sessionId: string, logs: Incarnations): T => {
  return isFirst(logs) ? value : (addIncarnations(value as Json, '', sessionId, logs) as T)
}

const isFirst = ({ own, parent }: Incarnations): boolean =>
  own === 1 && (parent === undefined || parent.incarnation === 1)

/** An event as the wires show it. Only payloads that the kernel writes have event ids and cursors; a tool's arguments never change. */
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

/** The cursor with the incarnation; null = the cursor belongs to another session. */
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
