import { expect, test } from 'vitest'
import { curlText } from '../actions/copy-as/curl.ts'
import { bodyExample, bodyFields } from './body-example.ts'
import { routeGroups } from './route.ts'
import { routeRequest } from './route-request.ts'

const document = {
  tags: [{ name: 'Sessions', description: 'By id.' }, { name: 'Empty' }],
  components: {
    parameters: { key: { name: 'Idempotency-Key', in: 'header' }, token: { name: 'token', in: 'query' } },
    responses: { Bad: { description: 'Not so.' } },
  },
  paths: {
    '/sessions/{id}/pause': {
      post: {
        operationId: 'pause',
        summary: 'Pause',
        tags: ['Sessions'],
        'x-scope': 'operate',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'agent', in: 'query' },
          { $ref: '#/components/parameters/key' },
          { $ref: '#/components/parameters/token' },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['reason', 'mode', 'at'],
                properties: {
                  reason: { type: 'string', description: 'Your words' },
                  mode: { enum: ['soft', 'hard'] },
                  at: { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }] },
                  more: { type: 'object' },
                },
              },
            },
          },
        },
        responses: { 200: { description: 'The session.' }, 400: { $ref: '#/components/responses/Bad' } },
      },
    },
    '/events': { get: { tags: ['Streams'], responses: { 200: { content: { 'text/event-stream': {} } } } } },
    '/ws': { get: { tags: ['Streams'], responses: { 101: {} } } },
  },
}
const groups = routeGroups(document)
const [pause] = groups[0]?.routes ?? []
if (!pause) throw new Error('The route is missing.')

test('routes are grouped by tag, references are followed, and credentials are no fields', () => {
  expect(groups.map(({ tag, routes }) => [tag, routes.map(({ method, path }) => `${method} ${path}`)])).toEqual([
    ['Sessions', ['POST /sessions/{id}/pause']],
    ['Streams', ['GET /events', 'GET /ws']],
  ])
  expect(pause.parameters.map(({ name, place, isRequired }) => [name, place, isRequired])).toEqual([
    ['id', 'path', true],
    ['agent', 'query', false],
    ['Idempotency-Key', 'header', false],
  ])
  expect(pause.answers).toEqual([
    { status: '200', description: 'The session.' },
    { status: '400', description: 'Not so.' },
  ])
  expect(groups[1]?.routes.map(({ isStream, isSocket }) => [isStream, isSocket])).toEqual([
    [true, false],
    [false, true],
  ])
})

test('the example has what is required, and the fields say their types', () => {
  expect(bodyExample(pause)).toEqual({ reason: '', mode: 'soft', at: 3 })
  expect(bodyFields(pause.body?.schema ?? {}).map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
    ['reason', 'string', true],
    ['mode', '"soft" | "hard"', true],
    ['at', 'integer or null', true],
    ['more', 'object', false],
  ])
})

test('a form becomes a request, or says what is missing', () => {
  const form = { parameters: {}, body: '{}' }
  expect(routeRequest(pause, form)).toBe('“id” is required.')
  const parameters = { 'path id': 'a/../b', 'query agent': 'x&y', 'header Idempotency-Key': 'k1' }
  expect(routeRequest(pause, { parameters, body: '{' })).toBe('The body is not JSON.')
  expect(routeRequest(pause, { parameters, body: '' })).toMatchObject({ body: null })
  expect(routeRequest(pause, { parameters, body: '{"reason": "it\'s"}' })).toEqual({
    method: 'POST',
    path: 'sessions/a%2F..%2Fb/pause?agent=x%26y',
    headers: { 'idempotency-key': 'k1', 'content-type': 'application/json' },
    body: '{"reason": "it\'s"}',
  })
})

test('the line for a shell is quoted, and has no token in it', () => {
  const request = { method: 'POST', path: 'a?b=c', headers: { 'x-y': '$HOME' }, body: `{"it": "isn't"}` }
  expect(
    curlText(request, { serverUrl: 'http://h/', hasToken: true, tenantId: 'acme', isStream: true }).split(' \\\n  '),
  ).toEqual([
    `curl -N -X POST 'http://h/a?b=c'`,
    '-H "Authorization: Bearer $BRIDLE_TOKEN"',
    `-H 'x-fabric-tenant: acme'`,
    `-H 'x-y: $HOME'`,
    `-d '{"it": "isn'\\''t"}'`,
  ])
})
