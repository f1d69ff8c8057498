import { describe, expect, test } from 'vitest'
import { elicitationRequest, elicitationResult } from './elicitation.ts'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const url = 'https://example.com/login?a=1'

describe('[R32] the request of an MCP server', () => {
  test.each<[string, object, object]>([
    ['a form', { requestedSchema: schema }, { schema }],
    ['a form, by name', { mode: 'form', requestedSchema: schema }, { schema }],
    [
      'a form without fields is a confirmation',
      { requestedSchema: { type: 'object', properties: {} } },
      { questions: [{ id: 'q1', header: 'maps', question: 'Where to?', options: [{ label: 'Yes' }] }] },
    ],
    [
      'a link is shown whole',
      { mode: 'url', url },
      {
        questions: [
          {
            ...{ id: 'q1', header: 'maps', question: `Where to?\n${url}` },
            options: [{ label: 'Continue', description: 'Open the link first, and do there what it asks.' }],
          },
        ],
      },
    ],
  ])('%s', (_name, asked, expected) =>
    expect(elicitationRequest({ server: 'maps', message: 'Where to?', ...asked })).toEqual(expected),
  )

  test.each<[string, object, RegExp]>([
    ['a script in place of a link', { mode: 'url', url: 'javascript:alert(1)' }, /must begin with http/],
    ['a link with a second line', { mode: 'url', url: 'https://example.com\nhttps://example.org' }, /no spaces/],
    ['no link', { mode: 'url' }, /must begin with http/],
    ['no form', {}, /\S/],
    [
      'a password',
      { requestedSchema: { type: 'object', properties: { p: { type: 'string', format: 'password' } } } },
      /p/,
    ],
    ['a mode that is not known', { mode: 'openai/userVerification' }, /mode "openai\/userVerification"/],
  ])('%s is a problem', (_name, asked, problem) =>
    expect(elicitationRequest({ server: 'maps', message: 'Where to?', ...asked })).toEqual({
      problem: expect.stringMatching(problem),
    }),
  )

  test('a long name of a server is cut, and is text', () => {
    const request = elicitationRequest({ server: '😀'.repeat(200), message: 'Go?', mode: 'url', url })
    const { header = '' } = request && 'questions' in request ? (request.questions?.[0] ?? {}) : {}
    expect([header.length, header.isWellFormed()]).toEqual([200, true])
  })
})

test('[R32] an answer in the words of MCP', () => {
  expect(elicitationResult({ mode: 'form' }, { values: { city: 'Rome' } })).toEqual({
    action: 'accept',
    content: { city: 'Rome' },
  })
  expect(elicitationResult({}, { answers: { q1: 'Yes' } })).toEqual({ action: 'accept', content: {} })
  expect(elicitationResult({ mode: 'url' }, { answers: { q1: 'Continue' } })).toEqual({ action: 'accept' })
})
