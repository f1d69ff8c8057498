import { expect, test } from 'vitest'
import { answerFields } from './answer-fields.ts'
import { answerPrompt, typedAnswer, wordAnswer } from './typed-answer.ts'

const optionsOf = (...labels: string[]) => labels.map((label) => ({ label }))
const question = (more: object) => {
  const [field] = answerFields({ questions: [{ id: 'q', question: 'Which?', ...more }] })
  if (!field) throw new Error('There is no field.')
  return field
}
const formField = (property: object, isRequired = false) => {
  const schema = { type: 'object', properties: { f: property }, required: isRequired ? ['f'] : [] }
  const [field] = answerFields({ schema: schema as never })
  if (!field) throw new Error('There is no field.')
  return field
}

const choice = question({ options: optionsOf('SQLite', 'Post, gres', '80') })
const open = question({ options: optionsOf('SQLite', '80'), allow_free_text: true })
const several = question({ options: optionsOf('a', 'b', 'c, d'), multi_select: true })
const numbered = question({ options: optionsOf('3', '2', '1', '80'), multi_select: true })
const texts = question({ options: optionsOf('a'), multi_select: true, allow_free_text: true })
const pick = 'That does not fit. Write the number or the label of an option.'
const pickSeveral = 'That does not fit. Write numbers such as 1,2 or labels, with commas between them; 0 chooses none.'

test.each([
  ['a number', choice, '2', { value: 'Post, gres' }],
  ['a label in any case', choice, ' sqlite ', { value: 'SQLite' }],
  ['a label that is a number', choice, '80', { value: '80' }],
  ['a number too large', choice, '4', { problem: pick }],
  ['zero', choice, '0', { problem: pick }],
  ['another text', choice, 'Oracle', { problem: pick }],
  ['nothing', choice, '  ', { problem: 'This needs an answer. Write the number or the label of an option.' }],
  ['the name of a property of every object', choice, 'constructor', { problem: pick }],
  ['a text of one’s own', open, ' My own ', { value: 'My own' }],
  ['a number that no option has', open, '8080', { value: '8080' }],
  ['numbers with commas', several, '1, 3,', { value: ['a', 'c, d'] }],
  ['numbers with spaces', several, '1 2', { value: ['a', 'b'] }],
  ['labels', several, 'b, A', { value: ['b', 'a'] }],
  ['a label with a comma', several, 'c, d', { value: ['c, d'] }],
  ['the number of an option, with a label that is another number', numbered, '1', { value: ['3'] }],
  ['several of them', numbered, '1,2', { value: ['3', '2'] }],
  ['a label that is the number of no option', numbered, '80', { value: ['80'] }],
  ['none of them', several, '0', { value: [] }],
  ['the same twice', several, '1,a', { problem: 'Question "q" has the answer "a" twice.' }],
  ['one that is none', several, '1,x', { problem: pickSeveral }],
  ['several texts', texts, '1, two', { value: ['a', 'two'] }],
  ['any text', question({ allow_free_text: true }), '/x', { value: '/x' }],
  ['a whole number', formField({ type: 'integer' }), '12', { value: 12 }],
  ['half of one', formField({ type: 'integer' }), '1.5', { problem: 'Field "f" must be a whole number.' }],
  [
    'a number that is none',
    formField({ type: 'number' }),
    'Infinity',
    { problem: 'That does not fit. Write a number.' },
  ],
  ['a number out of its range', formField({ type: 'number', maximum: 3 }), '-4e9', { value: -4e9 }],
  ['yes', formField({ type: 'boolean' }), 'Yes', { value: true }],
  ['perhaps', formField({ type: 'boolean' }), 'perhaps', { problem: 'That does not fit. Write y or n.' }],
  ['the title of a value', formField({ oneOf: [{ const: 'a', title: 'Low' }] }), 'low', { value: 'a' }],
  [
    'a date',
    formField({ type: 'string', format: 'date' }),
    '2026-02-30',
    { problem: 'Field "f" must be a date such as 2026-11-19.' },
  ],
  ['JSON', formField({ type: 'object' }), '{"a":[1]}', { value: { a: [1] } }],
  [
    'half of JSON',
    formField({ type: 'object' }),
    '{',
    { problem: 'That does not fit. Write a JSON value, such as {"a": 1} or ["a", "b"].' },
  ],
  ['the default', formField({ type: 'integer', default: 5 }, true), '', { value: 5 }],
  ['an optional field', formField({ type: 'string' }), '', { isLeftOut: true }],
  ['a required field', formField({ type: 'string' }, true), '', { problem: 'This needs an answer. Write a text.' }],
] as const)('[C408] %s', (_name, field, typed, expected) => expect(typedAnswer(field, typed)).toEqual(expected))

test('[C398] on a command line an option goes by its label or value, and never by its number', () => {
  expect(['1', 'SQLITE', 'Post, gres', '80'].map((word) => wordAnswer(choice, word))).toEqual([
    '1',
    'SQLite',
    'Post, gres',
    '80',
  ])
  expect(wordAnswer(several, 'c, d')).toBe('c, d')
})

test('[C408] the input line says what can be typed', () => {
  const fields = [choice, open, several, texts, question({ multi_select: true, allow_free_text: true })]
  expect([...fields, formField({ type: 'boolean' }), formField({})].map(answerPrompt)).toEqual([
    'Number 1-3: ',
    'Number 1-2, or your own text: ',
    'Numbers 1-3 with commas, 0 for none: ',
    'Numbers 1 with commas, 0 for none, or your own texts: ',
    'Texts with commas, 0 for none: ',
    '[y]es or [n]o: ',
    'JSON: ',
  ])
})
