// A secret that is compared letter by letter can be guessed letter by letter. So no source compares one with `===`: digests are
// compared, in constant time.

import { sameSecret } from '@bridle/runners/credentials/same-secret'
import { digest, sameBytes } from '@bridle/surfaces/http/access/secrets'
import { expect, test } from 'vitest'
import { packageSources, withoutTests } from './source-files.ts'

const COMPARISON = /([^\s(!,{[]+) *[!=]==? *([^\s),;]+)/g
const SECRET = /^[\w.?]*(token|secret|ticket|signature|bearer|authorization)$/i
const HARMLESS = new Set(['undefined', 'null', "''", '""'])

/** Lines that compare a secret with anything but nothing. */
const comparisons = (text: string): string[] =>
  text.split('\n').filter((line) =>
    [...line.matchAll(COMPARISON)].some(([, left = '', right = '']) => {
      const [one, other] = SECRET.test(left) ? [left, right] : [right, left]
      return SECRET.test(one) && !HARMLESS.has(other)
    }),
  )

test('[H14] no source compares a secret by ===', () => {
  const sources = withoutTests(packageSources())
  expect(sources.size).toBeGreaterThan(200)
  expect([...sources.values()].flatMap(comparisons)).toEqual([])
})

test.each<[string, boolean]>([
  ['if (given !== secret) return', true],
  ['if (token === options.authToken) return', true],
  ['return signature == expected', true],
  ["return headers.get('x') === bearer", true],
  ['if (token === undefined) return', false],
  ['if (secret !== null) return', false],
  ["if (type === 'token') return", false],
  ["if (token === '') return", false],
])('[H14] %s is found: %s', (line, isFound) => expect(comparisons(line).length > 0).toBe(isFound))

test('[H14] texts of any length are compared', async () => {
  const texts = ['', 'a', 'b', 'ab', 'a'.repeat(1_000)]
  for (const one of texts)
    for (const other of texts) {
      expect(sameSecret(one, other)).toBe(one === other)
      expect(sameBytes(await digest(one), await digest(other))).toBe(one === other)
    }
})
