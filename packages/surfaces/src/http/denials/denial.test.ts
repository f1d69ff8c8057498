// Denials as values, and as the response or the close frame that the edge makes of them.

import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { describe, expect, test } from 'vitest'
import { packageSources, withoutTests } from '../../../../../scripts/source-files.ts'
import { socketWires } from '../../all.ts'
import type { RequestLogEntry } from '../../app.ts'
import { upgradeSocket } from '../streams/socket-route.ts'
import { testApp } from '../test-app.suite.ts'
import {
  badRequest,
  Denial,
  type DenialCode,
  denialKinds,
  extendDenial,
  isDenial,
  notFound,
  partNotFound,
  sessionNotFound,
  toCloseFrame,
  toResponse,
} from './denial.ts'
import { faultDenial, refusalDenial } from './kernel-denials.ts'

const text = { error: 'Why.' }
const object = (type: DenialCode) => ({ error: { type, message: 'Why.' } })
const rendered: { readonly [D in DenialCode]: readonly [status: number, body: object, close: number] } = {
  bad_request: [400, text, 1011],
  invalid_answer: [400, object('invalid_answer'), 1011],
  unauthorized: [401, object('unauthorized'), 1011],
  forbidden: [403, object('forbidden'), 1008],
  not_found: [404, { error: 'Not found', message: 'Why.' }, 4004],
  method_not_allowed: [405, text, 1011],
  conflict: [409, object('conflict'), 1011],
  confirm_import: [409, object('confirm_import'), 1011],
  precondition_failed: [412, text, 1011],
  body_too_large: [413, object('body_too_large'), 1011],
  unsupported_encoding: [415, text, 1011],
  range_not_satisfiable: [416, text, 1011],
  upgrade_required: [426, text, 1011],
  rate_limited: [429, object('rate_limited'), 1011],
  internal_error: [500, object('internal_error'), 1011],
  unavailable: [503, object('unavailable'), 1012],
}

describe('at the edge', () => {
  test.each(Object.keys(denialKinds) as DenialCode[])('%s', async (code) => {
    const denial = new Denial(code, 'Why.')
    const response = toResponse(denial)
    const frame = toCloseFrame(denial)
    expect([response.status, await response.json(), frame.code]).toEqual(rendered[code])
    expect(JSON.parse(frame.message)).toEqual({ type: 'error', message: 'Why.' })
    expect(frame.reason).not.toBe('')
  })

  test.each([
    ['nothing to tell', 'Not found', 'There is no such session.'],
    ['an explanation', 'There is no agent helpr; there is helper.', 'There is no agent helpr; there is helper.'],
    ['123 bytes', 'x'.repeat(123), 'x'.repeat(123)],
    ['one more', 'x'.repeat(124), `${'x'.repeat(120)}…`],
    ['characters of three bytes', '…'.repeat(42), `${'…'.repeat(40)}…`],
    ['characters of four bytes', '🐎'.repeat(31), `${'🐎'.repeat(30)}…`],
  ])('a close frame that tells why nothing was found: %s', (_name, message, reason) => {
    expect(toCloseFrame(new Denial('not_found', message)).reason).toBe(reason)
  })

  test('headers and details are added to, and the denial stays as it was', async () => {
    const denial = new Denial('rate_limited', 'Later.', { 'retry-after': '3' })
    const more = extendDenial(denial, { headers: { 'ratelimit-limit': '9' }, details: { warnings: ['a', 'b'] } })
    const response = toResponse(more)
    expect([response.headers.get('retry-after'), response.headers.get('ratelimit-limit')]).toEqual(['3', '9'])
    expect(await response.json()).toEqual({
      error: { type: 'rate_limited', message: 'Later.' },
      warnings: ['a', 'b'],
    })
    expect(denial).toEqual(new Denial('rate_limited', 'Later.', { 'retry-after': '3' }))
  })

  test('a message that quotes a long request is cut', () => {
    expect(badRequest('x'.repeat(500)).message).toBe('x'.repeat(500))
    expect(badRequest('x'.repeat(501)).message).toBe(`${'x'.repeat(500)}…`)
  })
})

describe('a body that looks like a denial', () => {
  const forged = { ...new Denial('unavailable', 'Forged.', { 'set-cookie': 'a=b' }) }

  test('is not one', () => {
    expect([isDenial(forged), isDenial(notFound()), isDenial(null), isDenial(() => {})]).toEqual([
      false,
      true,
      false,
      false,
    ])
  })

  test('is an agent’s input like any other', async () => {
    const { post } = testApp()
    const response = await post('/agents/scripted/one', { ...forged, prompt: 'Hi' })
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null])
  })
})

test.each([
  [refusalDenial({ refused: 'session_not_found', message: 'Here is none.' }), notFound()],
  [refusalDenial({ refused: 'session_not_found', message: 'Here is none.' }, 's'), sessionNotFound('s')],
  [refusalDenial({ refused: 'message_not_found', message: 'None.' }, 's'), new Denial('not_found', 'None.')],
  [sessionNotFound('s', 'a'), new Denial('not_found', 'There is no session s of the agent a.')],
  [sessionNotFound('x'.repeat(129)), new Denial('not_found', `There is no session ${'x'.repeat(128)}….`)],
  [partNotFound('run', 'r-9'), new Denial('not_found', 'There is no run r-9 in this session.')],
  [refusalDenial({ refused: 'prompt_empty', message: 'Say something.' }), badRequest('Say something.')],
  [refusalDenial({ refused: 'run_active', message: 'It runs.' }), new Denial('conflict', 'It runs.')],
  [refusalDenial({ refused: 'busy', message: 'Later.' }), new Denial('rate_limited', 'Later.', { 'retry-after': '1' })],
  [
    faultDenial(new StoreFault('full', 'ENOSPC on /data')),
    new Denial('unavailable', 'The store is full; nothing was written.'),
  ],
  [
    faultDenial(new StoreFault('corrupt', 'page 7')),
    new Denial('internal_error', 'The log of this session is damaged; it is stopped.'),
  ],
  [faultDenial(new Error('a secret')), new Denial('internal_error', 'Something went wrong here.')],
])('a refusal or fault of the kernel becomes %o', (denial, expected) => {
  expect(denial).toEqual(expected)
})

test('[H19] the log has the cause of an error that the caller does not learn, and of no other answer', async () => {
  const entries: RequestLogEntry[] = []
  const fail = () => Promise.reject(new Error('no route to db.internal'))
  const directory = { list: fail, approvals: fail, settled: fail, due: fail, inHand: fail, find: fail }
  const { app, get } = testApp({ directory, onRequest: (entry) => entries.push(entry) })
  for (const path of ['/sessions', '/approvals', '/sessions/absent', '/health', '/sessions?limit=0']) {
    const { status, body } = await get(path)
    expect(JSON.stringify(body)).not.toContain('db.internal')
    expect(entries.at(-1)).toMatchObject({ status })
  }
  const request = new Request('http://127.0.0.1/ws?sessionId=absent')
  const socket = (await upgradeSocket(socketWires, request, '127.0.0.1', app.ports)) as Response
  expect(await socket.text()).not.toContain('db.internal')
  expect(entries.map(({ status, cause }) => [status, cause])).toEqual([
    [500, 'no route to db.internal'],
    [500, 'no route to db.internal'],
    [500, 'no route to db.internal'],
    [200, undefined],
    [400, undefined],
    [500, 'no route to db.internal'],
  ])
})

test('no source of the surfaces and targets asks whether a value is a Response', () => {
  const asking = [...withoutTests(packageSources())]
    .filter(([file]) => /^(surfaces|targets)\//.test(file))
    .filter(([, source]) => /instanceof Response\b/.test(source))
  expect(asking.map(([file]) => file)).toEqual([])
})
