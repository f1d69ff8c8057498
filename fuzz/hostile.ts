// Valid values made hostile: wrong types, names of prototypes, depth, halves of characters, numbers that are none. As text,
// since much of it (a name twice, `__proto__`, 1e400) cannot be written by JSON.stringify.
import fc from 'fast-check'
import { anyText, type JsonSchema, validValues } from './json-schema.ts'

/** JSON text, or nearly. Half of it is valid, so that what lies behind the checks is reached too. */
export const bodyText = (schema: JsonSchema, words: readonly string[]): fc.Arbitrary<string> => {
  const value = validValues(schema, words)
  return fc.oneof(
    { weight: 5, arbitrary: value.map(textOf) },
    {
      weight: 4,
      arbitrary: fc.tuple(value, fc.nat(), fragment).map(([good, at, bad]) => replaced(textOf(good), at, bad)),
    },
    { weight: 2, arbitrary: fc.tuple(value, extra).map(([good, more]) => extended(textOf(good), more)) },
    { weight: 1, arbitrary: fc.tuple(value, fc.nat()).map(([good, at]) => shortened(textOf(good), at)) },
    { weight: 1, arbitrary: fragment },
    { weight: 1, arbitrary: anyText },
  )
}

/** Names that mean something else to an object, a path, a shell or a terminal. */
export const HOSTILE_WORDS = [
  '',
  '.',
  '..',
  '../..',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '\0',
  '\ud800',
  '\u202e',
  '\x1b]0;x\x07',
  '%2e%2e%2f',
  "'; DROP TABLE events; --",
  '<script>alert(1)</script>',
  '9007199254740993',
  '-1',
  'NaN',
  'con',
  'x'.repeat(300),
  'x'.repeat(20_000),
]

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const nestedNames = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

/** A value, as text. */
const fragment = fc.constantFrom(
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  '0.1',
  '""',
  '"\\ud800"',
  '"\\u0000"',
  '[]',
  '{}',
  '[[]]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":1,"toJSON":1}',
  '{"then":1}',
  nested(99),
  nested(5_000),
  nestedNames(101),
  `[${'0,'.repeat(60_000)}0]`,
  JSON.stringify('x'.repeat(100_000)),
  'undefined',
  '{',
  ...HOSTILE_WORDS.map((word) => JSON.stringify(word)),
)

const extra = fc.constantFrom(
  '"__proto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"prototype":1',
  '"type":"ping"',
  '"prompt":1',
  '"session_id":".."',
  `"a":${nested(98)}`,
)

const textOf = (value: unknown): string => JSON.stringify(value) ?? 'null'

/** Replaces one value of the JSON text, chosen by its place. */
const replaced = (text: string, at: number, bad: string): string => {
  // Names are matched too, so that none is taken for the values around it, and then left alone.
  const parts = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|true|false|null/g)]
  const values = parts.filter(([, isName]) => isName === undefined)
  const chosen = values[at % Math.max(1, values.length)]
  return chosen ? text.slice(0, chosen.index) + bad + text.slice(chosen.index + chosen[0].length) : bad
}

/** Before what is there already, or after it: of two equal names the last one counts. */
const extended = (text: string, more: string): string => {
  if (!text.startsWith('{')) return text
  const inner = text.slice(1, -1)
  return `{${[more, inner].filter(Boolean).join(',')}}`
}

const shortened = (text: string, at: number): string => text.slice(0, at % (text.length + 1))
