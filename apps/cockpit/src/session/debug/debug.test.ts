import { expect, test } from 'vitest'
import { payloadSections } from './entry/payload-sections.ts'
import { milliText } from './milli-text.ts'
import { ROW_PX, rowWindow, scrollTopFor } from './table/row-window.ts'
import { childrenOf, kindOf, sizeText } from './tree/tree-node.ts'
import { isSamePath, pathText } from './tree/tree-path.ts'
import { FrameLog } from './wire/frame-log.ts'
import { socketFrameText } from './wire/wire-frame.ts'

test.each([0, 1, 13, 999, 49_990, 49_999])(
  '[C70] the rows on the screen are in the page, at row %s of 50,000',
  (row) => {
    const height = 600
    const { from, to } = rowWindow({ top: row * ROW_PX, height, count: 50_000 })
    expect(from).toBeLessThanOrEqual(row)
    expect(to).toBeGreaterThanOrEqual(Math.min(50_000, row + height / ROW_PX))
    expect(to - from).toBeLessThan(80)
  },
)

test('a list that became shorter than where it was scrolled to still shows rows', () => {
  expect(rowWindow({ top: 10_000, height: 300, count: 3 })).toEqual({ from: 0, to: 3 })
  expect(rowWindow({ top: 0, height: 300, count: 0 })).toEqual({ from: 0, to: 0 })
})

test('times of rows have their milliseconds', () => {
  expect(milliText(new Date(2026, 10, 12, 9, 5, 7, 42).getTime())).toBe('09:05:07.042')
})

test('scrolling within a step renders nothing new', () => {
  const windows = [0, 5, 80, 150].map((top) => JSON.stringify(rowWindow({ top, height: 600, count: 500 })))
  expect(new Set(windows).size).toBe(1)
})

test.each([
  [0, 100, 0],
  [10, 100, null],
  [10, 0, null],
  [100, 0, 101 * ROW_PX - 600],
])('row %s with %s px scrolled out is shown by scrolling to %s', (place, top, to) => {
  expect(scrollTopFor(place, { top, height: 600 })).toBe(to)
})

test('[C71] arguments, results and diagnostics are read by name, texts with their line breaks', () => {
  const payload = {
    tool_call_id: 'call-12',
    effect: 'unsafe',
    arguments: { path: 'a.ts', new_text: 'one\ntwo', retries: 3, env: { CI: '1' } },
    tags: ['a', 'b'],
    nothing: null,
    error: 'x'.repeat(80),
  }
  expect(payloadSections({ payload })).toEqual([
    {
      title: '',
      facts: [
        ['tool call id', 'call-12'],
        ['effect', 'unsafe'],
        ['tags', 'a, b'],
      ],
      texts: [['error', 'x'.repeat(80)]],
    },
    {
      title: 'arguments',
      facts: [
        ['path', 'a.ts'],
        ['retries', '3'],
      ],
      texts: [
        ['new text', 'one\ntwo'],
        ['env', '{\n  "CI": "1"\n}'],
      ],
    },
  ])
})

test('[C72] a path names its value, also through names with a slash', () => {
  expect(pathText(['approvals', 0, 'a/b', 'c~d'])).toBe('approvals/0/a~1b/c~0d')
  expect(isSamePath(['a', 0], ['a', '0'])).toBe(true)
  expect(isSamePath(['a'], null)).toBe(false)
  expect([kindOf([]), kindOf({}), kindOf(null), kindOf('x'), kindOf(1), kindOf(true)]).toEqual([
    'list',
    'record',
    'plain',
    'text',
    'number',
    'plain',
  ])
  expect([sizeText([1, 2]), sizeText({ a: 1 })]).toEqual(['[ 2 ]', '{ 1 }'])
  expect(childrenOf([7, 8, 9], 2)).toEqual([
    [0, 7],
    [1, 8],
  ])
})

test('[C73] frames are counted, a gap is seen, and the newest are kept', () => {
  const log = new FrameLog()
  const frame = { ...socketFrameText({ type: 'pong', ts: 1 }), at: 0, bytes: 1 }
  for (let at = 0; at < 2_000; at += 1) log.add({ ...frame, isOut: at % 4 === 0 })
  log.follow(10, undefined)
  log.follow(12, 10)
  log.follow(15, 14)
  expect(log.counts).toEqual({ in: 1_500, out: 500, gaps: 1 })
  expect(log.newest(3).map(({ id }) => id)).toEqual([1_999, 1_998, 1_997])
  expect(log.newest(5_000).length).toBeLessThanOrEqual(1_000)
})

test.each([
  [{ type: 'state', state: { status: 'idle', messages: [] }, seq: 7 }, 'state', 'whole state at 7'],
  [
    {
      type: 'delta',
      operations: [
        { type: 'append-text', path: ['messages', '1', 'content'], value: 'a\u202eb' },
        { type: 'set', path: ['status'], value: 'idle' },
      ],
    },
    'delta',
    'append-text messages/1/content “a⟨U+202E⟩b”, and 1 more',
  ],
  [
    { type: 'commands', commands: [{ type: 'approve', approvalId: 'apr-1', decision: 'approved', commandId: 'c-77' }] },
    'approve',
    'c-77',
  ],
  [{ type: 'ack', commandId: 'c-77', ok: false, message: 'Too late.' }, 'ack', 'c-77 refused: Too late.'],
  [{ type: 'seen', seq: 117 }, 'seen', 'mark 117'],
] as const)('[C73] a frame in a line: %j', (message, kind, words) => {
  expect(socketFrameText(message as never)).toEqual({ kind, words })
})
