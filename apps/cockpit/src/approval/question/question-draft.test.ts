import type { Question } from 'bridle/client'
import { describe, expect, test } from 'vitest'
import {
  answerOf,
  answersOf,
  initialQuestion,
  problemPlace,
  withOption,
  withOwnAnswer,
  withoutOptions,
} from './question-draft.ts'

const options = [{ label: 'a' }, { label: 'b' }, { label: 'c' }]
const single = { options }
const several = { options, multi_select: true }
const open = { options, allow_free_text: true }
const text = { allow_free_text: true }
const nothing = initialQuestion(single, undefined)

describe('[C416] the answer that somebody gives', () => {
  test('is none until something is chosen or written', () => {
    for (const question of [single, several, open, text]) expect(answerOf(question, nothing)).toBeUndefined()
  })

  test('one option takes the place of another', () => {
    const b = withOption(single, withOption(single, nothing, 'a'), 'b')
    expect(answerOf(single, b)).toBe('b')
    expect(answerOf(single, withOption(single, b, 'b'))).toBe('b')
  })

  test('several are toggled, and keep the order of the options', () => {
    const both = withOption(several, withOption(several, nothing, 'c'), 'a')
    expect(answerOf(several, both)).toEqual(['a', 'c'])
    expect(answerOf(several, withOption(several, both, 'c'))).toEqual(['a'])
    expect(answerOf(several, withoutOptions(both))).toEqual([])
  })

  test('a text of their own is an answer once it has characters', () => {
    const own = withOwnAnswer(open, withOption(open, nothing, 'a'))
    expect(answerOf(open, own)).toBeUndefined()
    expect(answerOf(open, { ...own, text: ' d ' })).toBe(' d ')
    expect(answerOf(open, withOption(open, { ...own, text: 'd' }, 'b'))).toBe('b')
    const many = { ...withOwnAnswer(several, withOption(several, nothing, 'a')), text: 'd' }
    expect(answerOf(several, many)).toEqual(['a', 'd'])
    expect(answerOf(several, withOwnAnswer(several, many))).toEqual(['a'])
    expect(answerOf(text, { ...nothing, text: 'one\ntwo' })).toBe('one\ntwo')
    expect(answerOf({ ...text, multi_select: true }, { ...nothing, text: 'one\n\n two' })).toEqual(['one', ' two'])
  })

  test.each([
    [single, 'b', 'b'],
    [several, ['c', 'a'], ['a', 'c']],
    [several, [], []],
    [{ ...several, allow_free_text: true }, ['a', 'other'], ['a', 'other']],
    [open, 'other', 'other'],
    [text, 'any\ntext', 'any\ntext'],
    [single, 7, undefined],
    [single, undefined, undefined],
  ])('begins with the default: %j, %j', (question, byDefault, answer) =>
    expect(answerOf(question, initialQuestion(question, byDefault))).toEqual(answer),
  )
})

test('[C416] answers are sent when every question has one that fits', () => {
  const questions: readonly Question[] = [
    { id: 'db', question: 'Which?', ...single },
    { id: 'constructor', question: 'Which?', ...several, allow_free_text: true },
  ]
  const [db, other] = [withOption(single, nothing, 'a'), withOption(several, nothing, 'b')]
  expect(answersOf(questions, [db, nothing])).toEqual({ given: undefined, missing: 1, problems: new Map() })
  expect(answersOf(questions, [db, other]).given).toEqual({ db: 'a', constructor: ['b'] })
  const twice = { ...withOwnAnswer(several, other), text: 'b' }
  const { given, problems } = answersOf(questions, [db, twice])
  expect([given, [...problems.keys()]]).toEqual([undefined, ['constructor']])
})

test.each([
  ['"x" is not an option of question "db".', 'db'],
  ['Question "checks" has no answer.', 'checks'],
  ['The server is busy.', null],
])('[C418] a refusal stands beside its question: %s', (problem, place) =>
  expect(problemPlace(['checks', 'db'], problem)).toBe(place),
)
