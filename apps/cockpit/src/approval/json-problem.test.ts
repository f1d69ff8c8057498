import { expect, test } from 'vitest'
import { parseDraft } from './argument-fields.ts'
import { jsonProblem } from './json-problem.ts'

test.each([
  ['{\n  "a": 1,\n  "b": "x\n}', 3, 8, 'A quote is missing at the end of this text.'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, '"," or "}" is missing here.'],
  ['{"a": 1,}', 1, 8, 'A comma stands before "}".'],
  ['{"a" 1}', 1, 6, '":" is missing after the key.'],
  ['{a: 1}', 1, 2, 'A key in quotes is missing here.'],
  ['[1, 2', 1, 6, '"]" is missing at the end.'],
  ['{"a": }', 1, 7, 'A value is missing here.'],
  ['', 1, 1, 'A value is missing at the end.'],
  ['{} x', 1, 4, 'The value ends before this.'],
  ['[01]', 1, 2, 'This is no number, text, true, false or null.'],
  ['["\\x"]', 1, 3, 'There is no such escape.'],
  ['["\\u12g4"]', 1, 3, '\\u needs four hexadecimal digits.'],
  ['["\t"]', 1, 3, 'A control character stands in a text: write it as an escape.'],
])('%j', (text, line, column, message) => {
  expect(jsonProblem(text)).toEqual({ line, column, message })
  expect(() => JSON.parse(text)).toThrow()
})

test('exactly what the platform parses is JSON', () => {
  const right = [
    '{"a":[1,-2.5e+3,true,false,null,"\\u00e4\\n"],"":{}}',
    ' [ ] ',
    '0',
    '-0',
    '1E5',
    '"\u2028"',
    '9'.repeat(2_000),
  ]
  for (const text of right) {
    expect(jsonProblem(text)).toBeNull()
    expect(() => JSON.parse(text)).not.toThrow()
  }
  // Every beginning of a right text, and every text with one character left out, is judged as the platform judges it.
  const [whole = ''] = right
  for (let at = 0; at < whole.length; at++)
    for (const text of [whole.slice(0, at), whole.slice(0, at) + whole.slice(at + 1)])
      expect([text, jsonProblem(text) === null]).toEqual([text, isJson(text)])
})

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('arguments are an object', () => {
  expect(parseDraft({ look: 'json', text: '{"a":1}' })).toEqual({ args: { a: 1 }, problem: null })
  expect(parseDraft({ look: 'json', text: '[1]' }).problem?.message).toBe('The arguments are an object: { … }.')
  expect(parseDraft({ look: 'json', text: '{' }).problem).toEqual({
    key: null,
    line: 1,
    column: 2,
    message: 'A key in quotes is missing here.',
  })
})
