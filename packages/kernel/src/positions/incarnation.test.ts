import { describe, expect, test } from 'vitest'
import { type AnyEvent, eventId } from '../event.ts'
import { isOwnPosition, parseCursor, positionInLog } from './cursor.ts'
import { eventWithIncarnations, FIRST_INCARNATIONS, type Incarnations, withIncarnations } from './incarnation.ts'
import { parseEventId, parsePosition, positionText } from './log-position.ts'

describe('[S34] a place is a number, and in a later incarnation of the log the number and its incarnation', () => {
  test.each([
    [12, 1, '12', 'ev-12'],
    [12, 2, '12~2', 'ev-12~2'],
    [0, 31, '0~31', 'ev-0~31'],
  ])('%i in %i', (seq, incarnation, text, id) => {
    expect([positionText(seq, incarnation), eventId(seq, incarnation)]).toEqual([text, id])
    expect([parsePosition(text), parseEventId(text), parseEventId(id)]).toEqual(Array(3).fill({ seq, incarnation }))
  })

  test.each([
    '',
    '~2',
    '12~',
    '12~~2',
    '12~2~3',
    'ev-',
    'ev-12~x',
    '-1',
    '1.5',
    '12 ',
    '1'.repeat(16),
    `1~${'1'.repeat(10)}`,
  ])('%j is none', (text) => expect(parseEventId(text)).toBeNull())

  test.each([
    ['checkpoint:s:12', { sessionId: 's', seq: 12, incarnation: 1 }],
    ['turn:a:b:12~3', { sessionId: 'a:b', seq: 12, incarnation: 3 }],
    ['turn:s:12~', null],
    ['turn:s:~3', null],
    ['turn:s', null],
  ])('the cursor %s', (text, place) => expect(parseCursor(text)).toEqual(place))

  test('a parent’s place is its branch’s too, in the parent’s own incarnation', () => {
    const parent = { agent: 'a', id: 'p', seq: 9 }
    const logs: Incarnations = { own: 4, parent: { id: 'p', incarnation: 2 } }
    const placed = (text: string) => {
      const place = parseCursor(text)!
      return isOwnPosition(place, 's', parent) ? positionInLog(place, 's', logs) : null
    }
    expect(placed('turn:s:12~4')).toEqual({ seq: 12, incarnation: 4 })
    expect(placed('turn:p:9~2')).toEqual({ seq: 9, incarnation: 4 })
    expect(placed('turn:p:9')?.incarnation).not.toBe(4)
    expect(placed('turn:p:10~2')).toBeNull()
    expect(placed('turn:other:1')).toBeNull()
  })
})

describe('[E10] stored events name no incarnation; the wires say the one in which they are read', () => {
  const key = { tenant: 't', agent: 'a', id: 's:1' }
  const stored = {
    seq: 12,
    at: 1,
    type: 'session_state',
    payload: {
      status: 'idle',
      branch_source_event_id: 'ev-4',
      branch_resume_cursor: 'branch:p:4',
      resume_context: { kind: 'turn', event_id: 'ev-9', resume_cursor: 'turn:s:1:9' },
      evidence: ['ev-1', 'ev-2'],
      title: 'ev-12',
    },
  } as unknown as AnyEvent
  const logs: Incarnations = { own: 3, parent: { id: 'p', incarnation: 2 } }

  test('in the first incarnation nothing changes, not even the object', () => {
    expect(eventWithIncarnations(stored, key, FIRST_INCARNATIONS)).toBe(stored)
    expect(withIncarnations(stored.payload, key.id, { own: 1, parent: { id: 'p', incarnation: 1 } })).toBe(
      stored.payload,
    )
  })

  test('a branching that is shown names the place in its parent', () => {
    const branched = {
      seq: 5,
      at: 1,
      type: 'branched',
      payload: { parent: { agent: 'a', id: 'p', seq: 4 }, source_event_id: 'ev-4', resume_cursor: 'branch:p:4' },
    } as unknown as AnyEvent
    expect(eventWithIncarnations(branched, key, logs).payload).toMatchObject({
      source_event_id: 'ev-4~2',
      resume_cursor: 'branch:p:4~2',
    })
  })

  test('in a later one its own places and its parent’s have theirs', () => {
    const text = JSON.stringify(stored)
    expect(eventWithIncarnations(stored, key, logs).payload).toEqual({
      status: 'idle',
      branch_source_event_id: 'ev-4~2',
      branch_resume_cursor: 'branch:p:4~2',
      resume_context: { kind: 'turn', event_id: 'ev-9~3', resume_cursor: 'turn:s:1:9~3' },
      evidence: ['ev-1~3', 'ev-2~3'],
      title: 'ev-12',
    })
    expect(JSON.stringify(stored)).toBe(text)
  })

  test('another session’s cursor and what is no cursor stay as they are; one that was given is brought up to date', () => {
    const cursors = ['turn:1:9', 'turn:x:s:1:9', 'what an engine says', 'turn:s:1:9~2', 'turn:p:4~1', null]
    expect(cursors.map((resume_cursor) => withIncarnations({ resume_cursor }, key.id, logs).resume_cursor)).toEqual([
      ...['turn:1:9', 'turn:x:s:1:9', 'what an engine says', 'turn:s:1:9~3', 'turn:p:4~2', null],
    ])
  })

  test('a tool’s arguments are nobody’s places', () => {
    const call = {
      ...{ seq: 5, at: 1, type: 'tool_call' },
      payload: { name: 'x', tool_call_id: 'c', arguments: { event_id: 'ev-1', resume_cursor: 'turn:s:1:9' } },
    } as unknown as AnyEvent
    expect(eventWithIncarnations(call, key, logs)).toBe(call)
  })
})
