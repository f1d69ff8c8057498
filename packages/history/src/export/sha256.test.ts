import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { Sha256 } from './sha256.ts'

test.each([0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 1_000, 100_000])(
  '[X6] the digest of %i characters',
  (length) => {
    const text = 'aé😀z'.repeat(length).slice(0, length).toWellFormed()
    const whole = new Sha256()
    whole.add(text)
    const pieces = new Sha256()
    for (const piece of text.match(/[\s\S]{1,1001}/gu) ?? []) pieces.add(piece)
    const expected = createHash('sha256').update(text).digest('hex')
    expect(whole.hex()).toBe(expected)
    expect(pieces.hex()).toBe(expected)
  },
)
