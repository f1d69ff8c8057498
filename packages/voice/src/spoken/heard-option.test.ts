import type { Question } from '@bridle/events/questions'
import { describe, expect, test } from 'vitest'
import { heardAnswer } from './heard-option.ts'

const choice: Question = {
  ...{ id: 'db', question: 'Which database?' },
  options: ['SQLite', 'PostgreSQL', 'PostgreSQL 16', 'One file, no server'].map((label) => ({ label })),
}

describe('[V115] an option is heard', () => {
  test.each([
    ['SQLite', 'SQLite'],
    ['sqlite.', 'SQLite'],
    ['I would like SQLite, please!', 'SQLite'],
    ['Well, we have always used SQLite here.', 'SQLite'],
    ['One file no server', 'One file, no server'],
    ['PostgreSQL', 'PostgreSQL'],
    ['Use PostgreSQL 16 for that', 'PostgreSQL 16'],
    ['the second one', 'PostgreSQL'],
    ['Second.', 'PostgreSQL'],
    ['number 2', 'PostgreSQL'],
    ['option two, please', 'PostgreSQL'],
    ['one', 'SQLite'],
    ['the first', 'SQLite'],
    ['the last one', 'One file, no server'],
  ])('in %j', (said, expected) => expect(heardAnswer(choice, said)).toBe(expected))

  test.each([
    'yes',
    'MySQL',
    'not SQLite',
    'anything but SQLite',
    'SQLite or PostgreSQL',
    'the fifth one',
    'number 0',
    'wait a second',
    '',
    '…',
  ])('not in %j', (said) => expect(heardAnswer(choice, said)).toBeNull())

  test('two options that sound the same are told apart by their place alone', () => {
    const twins: Question = { ...choice, options: [{ label: 'Yes!' }, { label: 'yes' }] }
    expect([heardAnswer(twins, 'yes'), heardAnswer(twins, 'the second')]).toEqual([null, 'yes'])
  })

  test('an option without a letter is heard by its place', () => {
    const signs: Question = { ...choice, options: [{ label: '→' }, { label: '←' }] }
    expect([heardAnswer(signs, 'hm hm'), heardAnswer(signs, 'first')]).toEqual([null, '→'])
  })
})

test.each([
  ['the second one', 'PostgreSQL'],
  ['SQLite', 'SQLite'],
  ['SQLite, but in memory', 'SQLite, but in memory'],
  ['whatever you think', 'whatever you think'],
])('[V115] where other text is taken, %j is %j', (said, expected) =>
  expect(heardAnswer({ ...choice, allow_free_text: true }, said)).toBe(expected),
)

test('[V115] a question without options takes any words', () => {
  expect(heardAnswer({ id: 'q', question: 'Name?', allow_free_text: true }, 'the second one')).toBe('the second one')
})

const days: Question = {
  ...{ id: 'days', question: 'Which days?', multi_select: true },
  options: ['Monday', 'Friday', 'Rock and roll'].map((label) => ({ label })),
}

test.each([
  ['Monday and Friday', ['Monday', 'Friday']],
  ['the first, the second', ['Monday', 'Friday']],
  ['Friday', ['Friday']],
  ['Monday, Monday', ['Monday']],
  ['rock and roll', ['Rock and roll']],
  ['all of them', ['Monday', 'Friday', 'Rock and roll']],
  ['both', null],
  ['both of them', null],
  ['Monday and Sunday', null],
  ['yes', null],
])('[V115] several options in %j', (said, expected) => expect(heardAnswer(days, said)).toEqual(expected))

test('[V115] "both" means two options', () => {
  const two = { ...days, options: days.options?.slice(0, 2) ?? [] }
  for (const said of ['Both.', 'both of them', 'all']) expect(heardAnswer(two, said)).toEqual(['Monday', 'Friday'])
})
