import type { AnyEvent } from '@bridle/kernel/event'
import { describe, expect, test } from 'vitest'
import { turnAudience } from './codec.ts'

const key = { tenant: 't', agent: 'scripted', id: 's1' }
const at = 1_700_000_000_000
const event = (seq: number, type: string, payload: object, more: object = {}): AnyEvent =>
  ({ seq, at, type, payload, ...more }) as AnyEvent
const turnEnd = event(8, 'turn_end', { turn_id: 'r-2', status: 'completed', queued: 0 }, { run: 'r-2' })
const state = event(9, 'session_state', { status: 'idle' })
const paused = event(10, 'session_state', { status: 'paused' }, { at: at + 5 })

/** The types that were shown, page by page, and when it was over. */
const played = (head: number, ...pages: AnyEvent[][]) => {
  const audience = turnAudience(key, 'debug', 'r-2', () => head)
  return pages.map((events) => {
    const text = audience.encode({ events })
    return [text.match(/"type":"(\w+)"/g)?.map((each) => each.slice(8, -1)) ?? [], audience.isOver()]
  })
}

describe('[F9] the stream of a turn ends with how the session stands', () => {
  test.each([
    ['in one piece', 9, [[turnEnd, state]], [[['turn_end', 'session_state'], true]]],
    [
      'where a page ends between them',
      10,
      [[turnEnd], [state, paused]],
      [
        [['turn_end'], false],
        [['session_state'], true],
      ],
    ],
    ['and not with what came later', 10, [[turnEnd, paused]], [[['turn_end'], true]]],
    ['or at once, where nothing changed', 8, [[turnEnd]], [[['turn_end'], true]]],
  ])('%s', (_name, head, pages, expected) => {
    expect(played(head, ...pages)).toEqual(expected)
  })
})
