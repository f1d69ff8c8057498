import { expect, test } from 'vitest'
import { decodeBase64, decodeSlowly, encodeBase64, encodeSlowly } from './base64.ts'

const samples = [0, 1, 2, 3, 4, 255, 1_000].map((length) =>
  Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 255),
)

test.each(samples)('both ways of encoding agree, and both ways of decoding bring the bytes back', (bytes) => {
  const text = Buffer.from(bytes).toString('base64')
  expect([encodeBase64(bytes), encodeSlowly(bytes)]).toEqual([text, text])
  expect([decodeBase64(text), decodeSlowly(text)]).toEqual([bytes, bytes])
  const bare = text.replace(/=+$/, '')
  expect([decodeBase64(bare), decodeSlowly(bare)]).toEqual([bytes, bytes])
})

test('white space is skipped', () => {
  for (const decode of [decodeBase64, decodeSlowly]) expect(decode(' AQ\nID ')).toEqual(Uint8Array.of(1, 2, 3))
})

test.each(['A', 'AAAAA', 'A===', 'AA=', '====', 'AQ-_', 'é===', 'hello!', 'AQ==AQ==', '\u0000'])(
  '%j is none',
  (text) => {
    expect([decodeBase64(text), decodeSlowly(text)]).toEqual([null, null])
  },
)
