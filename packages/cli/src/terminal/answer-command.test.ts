import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { answerCommand } from './answer-command.ts'

const place = { command: 'bridle', id: 's', approvalId: 'apr-5', nextFlags: ' --url http://x' }
const question = (id: string, more: object) => ({ id, question: 'Which?', ...more })
const form = (properties: object, required: string[] = []) => ({
  schema: { type: 'object', properties, required } as never,
})

test.each([
  [{ questions: [question('db', { options: [{ label: 'SQLite' }] })] }, 'db=SQLite'],
  [{ questions: [question('db', { options: [{ label: "it's $HOME" }] })] }, `db='it'\\''s $HOME'`],
  [
    {
      questions: [
        question('a', { allow_free_text: true }),
        question('b', { options: [{ label: 'x' }], multi_select: true }),
      ],
    },
    'a=TEXT b=x',
  ],
  [{ questions: [question('db', { options: [{ label: 'a' }, { label: 'b' }] })], default: { db: 'b' } }, 'db=b'],
  [
    form({ port: { type: 'integer' }, tls: { type: 'boolean' }, note: { type: 'string' } }, ['port', 'tls']),
    'port=NUMBER tls=true',
  ],
  [form({ note: { type: 'string', default: 'x y' } }), `note='x y'`],
])('[C402] the command for %j', (request, words) => {
  expect(answerCommand(place, request)).toBe(`bridle answer s apr-5 ${words} --url http://x`)
})

test.each([
  [
    'a label that would not be seen',
    { questions: [question('db', { options: [{ label: 'a\u202eb\n' }] })] },
    { db: 'a\u202eb\n' },
  ],
  ['a name that is a flag', form({ '--url': { type: 'string' } }), { '--url': 'TEXT' }],
  ['a nested value', form({ a: { type: 'object' } }), { a: {} }],
])('[C402] %s is given as JSON, in plain letters', (_name, request, values) => {
  const command = answerCommand(place, request)
  expect(command).toMatch(/^printf '%s' '[ -~]+' \| bridle answer s apr-5 --answers - --url http:\/\/x$/)
  const [print = ''] = command.split(' | ')
  expect(JSON.parse(execFileSync('sh', ['-c', print], { encoding: 'utf8' }))).toEqual(values)
})

test('[C404] answers that are there already are in the command', () => {
  const request = { questions: [question('a', { allow_free_text: true }), question('b', { allow_free_text: true })] }
  expect(answerCommand(place, request, { b: 'mine' })).toBe('bridle answer s apr-5 a=TEXT b=mine --url http://x')
})
