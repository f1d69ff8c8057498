import { expect, test } from 'vitest'
import { encodeTextFrames } from './frames.ts'

test.each<[number, number[]]>([
  [0, [0x81, 0]],
  [1, [0x81, 1]],
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [65_535, [0x81, 126, 0xff, 0xff]],
  [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
])('%i bytes', (size, head) => {
  const bytes = encodeTextFrames(['x'.repeat(size)])
  expect([...bytes.subarray(0, head.length)]).toEqual(head)
  expect(bytes.subarray(head.length).toString()).toBe('x'.repeat(size))
})

test('several messages follow each other, counted in bytes of UTF-8', () => {
  expect([...encodeTextFrames(['é', '', '𝄞'])]).toEqual([0x81, 2, 0xc3, 0xa9, 0x81, 0, 0x81, 4, 0xf0, 0x9d, 0x84, 0x9e])
})

test('half a character becomes the replacement character, in as many bytes as the head announces', () => {
  expect([...encodeTextFrames(['\ud800'])]).toEqual([0x81, 3, 0xef, 0xbf, 0xbd])
})

test('the same array is encoded once', () => {
  const messages = ['a']
  expect(encodeTextFrames(messages)).toBe(encodeTextFrames(messages))
})
