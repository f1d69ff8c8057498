import { jsonAnswer } from '@bridle/surfaces/http/answers/answer-schema'
import { type Route, route } from '@bridle/surfaces/http/router/route'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { clientCalls } from './client-calls.ts'

const row = (parts: Partial<Route>): Route => ({
  ...route({
    method: 'get',
    path: '/sessions/:id/workspace',
    scope: 'observe',
    summary: 'A thing',
    answers: { 200: jsonAnswer('It.', v.pipe(v.unknown(), v.title('WorkspaceReport')), {}) },
    handle: () => new Response(),
  }),
  ...parts,
})
/** The call without its comment; an id in its path is written as in the row. */
const written = (parts: Partial<Route>): string => {
  const [, text = ''] = clientCalls([row(parts)]).split('*/\n  x: ')
  return text
    .replaceAll(/\$\{pathSegment\((\w+)\)\}/g, ':$1')
    .replaceAll(/\s+/g, ' ')
    .replace(/, }\) $/, '')
}

const act = { method: 'post', headers: ['Idempotency-Key'], call: 'x' } as const
const reasons = { reason: v.optional(v.string()), actor: v.optional(v.string()) }

test.each<[string, Partial<Route>, string]>([
  [
    'an agent alone is an argument',
    { call: 'x' },
    'async (id: string, agent?: string): Promise<WorkspaceReport> => get(`sessions/:id/workspace`, { agent })',
  ],
  [
    'parameters have the types of their schemas',
    { call: 'x', query: v.looseObject({ on: v.optional(v.boolean()), is: v.optional(v.picklist(['a', 'b'])) }) },
    "async (id: string, options: { readonly agent?: string; readonly on?: boolean; readonly is?: 'a' | 'b' } = {}): Promise<WorkspaceReport> => get(`sessions/:id/workspace`, options)",
  ],
  [
    'an act takes a reason, and a required field is an argument',
    { ...act, body: v.looseObject({ title: v.string(), ...reasons }) },
    "async (id: string, title: string, options: ReasonOptions = {}): Promise<WorkspaceReport> => act('POST', `sessions/:id/workspace`, { ...options, title })",
  ],
  [
    'a session to make is the body, and its key is beside it',
    { ...act, path: '/sessions', call: 'x', body: v.pipe(v.looseObject(reasons), v.title('NewSession')) },
    "async (options: NewSession = {}, request: Pick<ReasonOptions, 'idempotencyKey'> = {}): Promise<WorkspaceReport> => send('POST', 'sessions', { ...options, ...request })",
  ],
])('%s', (_name, parts, expected) => {
  expect(written(parts)).toBe(expected)
})

test('a schema with a title is a type with the fields of all its rows', () => {
  const body = (entries: v.ObjectEntries) =>
    v.pipe(v.looseObject(entries), v.title('Choice'), v.description('A choice.'))
  const place = v.pipe(v.looseObject({ on: v.optional(v.boolean()) }), v.title('Place'))
  const both = v.pipe(v.string(), v.description('In both.'))
  const rows = [
    row({ ...act, body: body({ ...reasons, both }) }),
    row({ ...act, body: body({ ...reasons, both, place: v.optional(place), made: v.string() }) }),
  ]
  const [, types = ''] = clientCalls(
    rows.map((each, index) => ({ ...each, call: { name: `x${index}`, positional: [] } })),
  ).split("from './requests.ts'\n\n")
  expect(types).toContain(`/** A choice. */
export interface Choice extends ReasonOptions {
  /** In both. */
  readonly both: string
  readonly place?: Place
  readonly made?: string
}

export interface Place {
  readonly on?: boolean
}
`)
})

test('a row without a call has none', () => {
  expect(clientCalls([row({})])).not.toContain('Promise')
})

test.each<[string, Partial<Route>, string]>([
  ['an argument that the row lacks', { call: { name: 'x', positional: ['none'] } }, 'has the argument none'],
  ['a fixed parameter that the row lacks', { call: { name: 'x', fixed: { none: '1' } } }, 'has the argument none'],
  ['a type that nobody exports', { call: { name: 'x', answer: 'Nowhere' } }, 'exports Nowhere'],
  ['an answer without a name', { call: 'x', answers: { 200: jsonAnswer('It.', v.unknown(), {}) } }, 'has no title'],
])('%s is an error', (_name, parts, message) => {
  expect(() => clientCalls([row(parts)])).toThrow(message)
})
