import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type SseMessage, SseReader } from './sse-reader.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (text: string): SseMessage[] => new SseReader().push(bytes(text))
const message = (data: string, id = '', event = 'message'): SseMessage => ({ id, event, data })

test.each<[string, string, SseMessage[]]>([
  ['a message', 'data: hi\n\n', [message('hi')]],
  ['ends by CR', 'data: hi\r\r', [message('hi')]],
  ['ends by CRLF', 'data: hi\r\n\r\n', [message('hi')]],
  ['ends of all kinds', 'data: a\rdata: b\r\ndata: c\n\r\n', [message('a\nb\nc')]],
  ['several lines of data', 'data: a\ndata:\ndata: b\n\n', [message('a\n\nb')]],
  ['only the first space goes', 'data:  a\n\ndata:b\n\n', [message(' a'), message('b')]],
  ['a colon in the value', 'data: {"a":1}\n\n', [message('{"a":1}')]],
  ['comments', ': open\n\n: beat\ndata: a\n:\n\n', [message('a')]],
  ['a field without a colon', 'data\n\n', [message('')]],
  ['no data, no message', 'id: 3\nevent: x\n\ndata: a\n\n', [message('a', '3')]],
  [
    'an id stays until the next',
    'id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n',
    [message('a', '1'), message('b', '1'), message('c', '2')],
  ],
  ['an empty id forgets', 'id: 1\ndata: a\n\nid\ndata: b\n\n', [message('a', '1'), message('b', '')]],
  ['an id with NUL is passed over', 'id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n', [message('a', '1'), message('b', '1')]],
  ['a named event', 'event: ping\ndata: a\n\ndata: b\n\n', [message('a', '', 'ping'), message('b')]],
  ['unknown fields', 'data: a\nDATA: b\n data: c\nfoo: d\n\n', [message('a')]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [message('a')]],
  ['a message that is cut off', 'data: a\n\ndata: b\n', [message('a')]],
])('reads %s', (_name, text, expected) => expect(read(text)).toEqual(expected))

test.each<[string, number | null]>([
  ['retry: 500\n\n', 500],
  ['retry: soon\n\n', null],
  ['retry: -1\n\n', null],
  ['retry\n\n', null],
])('after %j the wait is %j', (text, wait) => {
  const reader = new SseReader()
  reader.push(bytes(text))
  expect(reader.retryMs).toBe(wait)
})

test('what is not UTF-8 does not stop the stream', () => {
  const reader = new SseReader()
  expect(reader.push(new Uint8Array([...bytes('data: a'), 0xff, ...bytes('b\n\n')]))).toEqual([message('a\uFFFDb')])
})

test('a message has a limit', () => {
  expect(() => new SseReader(100).push(bytes(`data: ${'x'.repeat(101)}`))).toThrow(RangeError)
  expect(() => new SseReader(100).push(bytes(`data: ${'x'.repeat(60)}\n`.repeat(2)))).toThrow(RangeError)
  const reader = new SseReader(100)
  for (let times = 0; times < 10; times++) expect(reader.push(bytes(`data: ${'x'.repeat(60)}\n\n`))).toHaveLength(1)
})

describe('any split of the bytes', () => {
  const piece = fc.oneof(
    fc.constantFrom('data', 'data:', 'data: ', 'id: ', 'event: ', 'retry: ', ':', ' ', '\n', '\r', '\r\n', '\n\n'),
    fc.constantFrom('7', 'é', '漢', '🐎', '\uFEFF', '\0', '{"a":1}', '\u2028'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  const stream = fc.array(piece, { maxLength: 40 }).map((pieces) => bytes(pieces.join('')))

  test('gives the same messages', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 30 }), (whole, cuts) => {
        const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b)
        const once = new SseReader()
        const expected = once.push(whole)
        const cut = new SseReader()
        const got = [0, ...places].flatMap((from, index) =>
          cut.push(whole.subarray(from, places[index] ?? whole.length)),
        )
        expect([got, cut.retryMs]).toEqual([expected, once.retryMs])
      }),
      { numRuns: 2_000 },
    )
  })

  test('takes one byte order mark away, also where it comes alone', () => {
    const whole = bytes('\uFEFF\uFEFFdata: 7\n\n')
    for (let cut = 0; cut <= whole.length; cut++) {
      const reader = new SseReader()
      expect([...reader.push(whole.subarray(0, cut)), ...reader.push(whole.subarray(cut))]).toEqual([])
    }
    const marked = new SseReader()
    expect([...marked.push(bytes('\uFEFF')), ...marked.push(bytes('data: 7\n\n'))]).toMatchObject([{ data: '7' }])
  })

  test('byte by byte too', () => {
    fc.assert(
      fc.property(stream, (whole) => {
        const reader = new SseReader()
        const got = [...whole].flatMap((byte) => reader.push(new Uint8Array([byte])))
        expect(got).toEqual(new SseReader().push(whole))
      }),
    )
  })

  test('what was written comes out, whatever ends its lines', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => value.replace(/[\r\n]/g, ''))
    const end = fc.constantFrom('\n', '\r', '\r\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(text, { minLength: 1, maxLength: 3 }), end), { maxLength: 8 }), (sent) => {
        const wire = sent.map(([lines, eol]) => [...lines.map((line) => `data: ${line}`), '', ''].join(eol)).join('')
        const reader = new SseReader()
        const got = [...bytes(wire)].flatMap((byte) => reader.push(new Uint8Array([byte])))
        expect(got.map(({ data }) => data)).toEqual(sent.map(([lines]) => lines.join('\n')))
      }),
    )
  })
})
