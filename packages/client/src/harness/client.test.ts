// The client against a fake server: valid and broken messages, complete and cut connections.

import { applyOperations, type DeltaOperation } from '@bridle/kernel/delta'
import type { HarnessState } from '@bridle/kernel/projections/harness-state'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { HarnessClient, type HarnessConnection, type HarnessError } from '../index.ts'
import {
  assistantMessage,
  delta,
  fakeClientOf,
  fakeServer,
  openClient,
  state,
  stateOf,
  textsOf,
} from './fake-server.suite.ts'

beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** `npm run test:long` plays more. */
const isThorough = process.env.BRIDLE_VARIANTS === 'all'
const append = (index: number, value: unknown) => ({
  type: 'append-text',
  path: ['messages', `${index}`, 'content'],
  value,
})
const set = (path: unknown, value: unknown) => ({ type: 'set', path, value })

describe('sense', () => {
  test('[T3] a state, then deltas', async () => {
    const { client, line } = await openClient({ first: state(3, 'Hi') })
    expect(line.url.href).toBe('ws://fake/ws?userId=ann&marks=1')
    expect(client.connection).toMatchObject({ phase: 'open', attempt: 0, lastSeq: 3, resyncs: 0 })
    line.tell(
      delta(3, 4, append(0, ', you')),
      delta(4, 6, set(['messages', '1'], assistantMessage('More')), set(['status'], 'running')),
    )
    expect(textsOf(client)).toEqual(['Hi, you', 'More'])
    expect(client.connection.lastSeq).toBe(6)
    line.tell(state(9, 'New'))
    expect(textsOf(client)).toEqual(['New'])
    client.close()
  })

  test('untouched parts keep their identity', async () => {
    const { client, line } = await openClient({ first: state(0, 'a', 'b') })
    const before = client.getSnapshot()
    line.tell(delta(0, 1, append(1, '!')))
    expect(client.getSnapshot().messages[0]).toBe(before.messages[0])
    expect(before).toEqual(stateOf('a', 'b'))
    client.close()
  })

  test('[T19] a mark is answered at once; one that makes no sense is a reason to start anew', async () => {
    const { client, line, server } = await openClient({ first: state(3, 'Hi') })
    line.tell({ type: 'mark', seq: 3 }, delta(3, 4, append(0, '!')), { type: 'mark', seq: 4 })
    expect(line.received).toEqual([
      { type: 'seen', seq: 3 },
      { type: 'seen', seq: 4 },
    ])
    line.raw('{"type":"mark"}')
    expect(line.received).toHaveLength(2)
    expect((await server.socket(2)).after).toBeNull()
    client.close()
  })

  test('before the first state it is empty', () => {
    const client = fakeClientOf(fakeServer())
    expect(client.getSnapshot()).toEqual({ status: 'idle', messages: [] })
    expect(client.connection).toMatchObject({ phase: 'connecting', attempt: 0, lastSeq: null })
    client.close()
  })

  test('a type that came later is ignored', async () => {
    const { client, line } = await openClient()
    line.raw('{"type":"presence","who":["bob"]}')
    line.raw('{"type":"pong"}')
    line.tell(delta(0, 1, set(['status'], 'running')))
    expect(client.getSnapshot().status).toBe('running')
    expect(client.connection.resyncs).toBe(0)
    client.close()
  })

  test('taps tell all of it, as it came', async () => {
    const { client, line } = await openClient()
    const told: unknown[] = []
    for (const name of ['state', 'delta', 'error'] as const) client.on(name, (message: unknown) => told.push(message))
    line.tell(delta(0, 1, set(['status'], 'running')), { type: 'error', message: 'No.' }, state(2))
    expect(told).toEqual([
      delta(0, 1, set(['status'], 'running')),
      expect.objectContaining({ code: 'server', message: 'No.' }),
      state(2),
    ])
    client.close()
  })

  test('a bad address throws at once', () => {
    expect(() => new HarnessClient({ url: 'nowhere' })).toThrow(TypeError)
  })
})

describe('nonsense makes it ask for everything again', () => {
  const spoiled = (given: object) => JSON.stringify({ ...state(1), ...given })
  test.each<[string, unknown]>([
    ['no JSON', '{"type":'],
    ['not text', new Blob(['{}'])],
    ['a number', '5'],
    ['null', 'null'],
    ['an array', '[]'],
    ['no type', '{"state":{}}'],
    ['a type that is no text', '{"type":1}'],
    ['an inherited type that is no message', '{"type":{"toString":1}}'],
    ['a state that is a text', spoiled({ state: 'x' })],
    ['a state that is a list', spoiled({ state: [] })],
    ['a state without messages', spoiled({ state: { status: 'idle' } })],
    ['a state without status', spoiled({ state: { messages: [] } })],
    ['a state with a message that is none', spoiled({ state: { status: 'idle', messages: [{ id: 1 }] } })],
    ['a seq that is a text', spoiled({ seq: '1' })],
    ['a seq below zero', spoiled({ seq: -1 })],
    ['operations that are no list', JSON.stringify({ ...delta(1, 2), operations: {} })],
    ['an operation that is null', JSON.stringify(delta(1, 2, null))],
    ['a path that is a text', JSON.stringify(delta(1, 2, set('status', 'idle')))],
    ['a set without a value', JSON.stringify(delta(1, 2, set(['error'], undefined)))],
    ['an unknown operation', JSON.stringify(delta(1, 2, { type: 'remove', path: ['messages', '0'], value: 1 }))],
    ['an index beyond the length', JSON.stringify(delta(1, 2, set(['messages', '2'], assistantMessage('x'))))],
    ['an index with a leading zero', JSON.stringify(delta(1, 2, set(['messages', '00'], assistantMessage('x'))))],
    ['the prototype in a path', JSON.stringify(delta(1, 2, set(['__proto__', 'polluted'], true)))],
    ['the constructor in a path', JSON.stringify(delta(1, 2, set(['constructor', 'prototype', 'x'], true)))],
    ['text appended to a list', JSON.stringify(delta(1, 2, { type: 'append-text', path: ['messages'], value: 'x' }))],
    ['a number appended to text', JSON.stringify(delta(1, 2, append(0, 5)))],
    ['a good and a bad operation', JSON.stringify(delta(1, 2, append(0, '!!!'), append(7, 'x')))],
    ['a root that is no state', JSON.stringify(delta(1, 2, set([], 5)))],
    ['messages that are no list', JSON.stringify(delta(1, 2, set(['messages'], {})))],
    ['a message that is none', JSON.stringify(delta(1, 2, set(['messages', '0'], null)))],
    ['a content that is no text', JSON.stringify(delta(1, 2, set(['messages', '0', 'content'], ['x'])))],
    ['tool calls that are no list', JSON.stringify(delta(1, 2, set(['messages', '0', 'toolCalls'], 'x')))],
    ['[T10] a gap', JSON.stringify(delta(2, 3, append(0, '!!!')))],
    ['[T10] a delta that was there before', JSON.stringify(delta(0, 1, append(0, '!!!')))],
    ['a delta that leads backwards', JSON.stringify(delta(1, 0))],
    ['an error without words', '{"type":"error"}'],
    ['an ack of nothing', '{"type":"ack","ok":true}'],
    ['an ack that says neither', '{"type":"ack","commandId":"c","ok":"yes"}'],
  ])('%s', async (_name, nonsense) => {
    const { server, client, line } = await openClient({ first: state(1, 'kept') })
    const errors: HarnessError[] = []
    client.on('error', (error) => errors.push(error))
    const shown = client.getSnapshot()
    line.raw(nonsense)
    expect(line.closedWith).toBe(4000)
    expect(client.getSnapshot()).toBe(shown)
    expect(client.connection).toMatchObject({
      phase: 'reconnecting',
      resyncs: 1,
      lastSeq: null,
      error: { code: 'resync' },
    })
    expect(errors).toMatchObject([{ code: 'resync' }])
    // The client ignores messages of the old connection.
    line.tell(state(9, 'late'))
    const next = await server.socket(2)
    expect(next.after).toBeNull()
    next.open(state(5, 'fresh'))
    expect(textsOf(client)).toEqual(['fresh'])
    expect(client.connection).toMatchObject({ phase: 'open', resyncs: 1, lastSeq: 5 })
    expect(client.connection.error).toBeUndefined()
    expect(Object.prototype).not.toHaveProperty('polluted')
    client.close()
  })

  test('a delta before any state', async () => {
    const { server, client, line } = await openClient({ first: delta(0, 1, set(['status'], 'running')) })
    expect(line.closedWith).toBe(4000)
    expect(client.getSnapshot()).toEqual({ status: 'idle', messages: [] })
    expect(client.connection).toMatchObject({ phase: 'connecting', resyncs: 1 })
    ;(await server.socket(2)).open(state(1))
    expect(client.connection.phase).toBe('open')
    client.close()
  })

  test('a server that never makes sense is asked ever less often', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { server, client } = await openClient({ backoff: { firstMs: 100, longestMs: 1_000 } })
    const waits: number[] = []
    for (let round = 1; round < 7; round++) {
      server.sockets.at(-1)?.raw('?')
      waits.push((client.connection.nextTryAt as number) - Date.now())
      await vi.advanceTimersByTimeAsync(1_000)
      ;(await server.socket(round + 1)).open(state(round))
    }
    expect(waits).toEqual([100, 200, 400, 800, 1_000, 1_000])
    await vi.advanceTimersByTimeAsync(1_001)
    server.sockets.at(-1)?.raw('?')
    expect((client.connection.nextTryAt as number) - Date.now()).toBe(100)
    client.close()
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
})

describe('coming back', () => {
  test('[T4] it says what it has, and goes on from there', async () => {
    const { server, client, line } = await openClient({ first: state(3, 'a') })
    line.tell(delta(3, 5, append(0, 'b')))
    line.cut()
    expect(client.connection).toMatchObject({ phase: 'reconnecting', attempt: 1, lastSeq: 5 })
    expect(textsOf(client)).toEqual(['ab'])
    const second = await server.socket(2)
    expect(second.after).toBe('5')
    second.open(delta(5, 5))
    expect(client.connection).toMatchObject({ phase: 'open', attempt: 0 })
    second.tell(delta(5, 6, append(0, 'c')))
    second.cut()
    const third = await server.socket(3)
    third.open(state(9, 'whole'))
    expect(third.after).toBe('6')
    expect(textsOf(client)).toEqual(['whole'])
    client.close()
  })

  test('another address is another session: it starts from a state', async () => {
    const urls = ['ws://fake/ws?sessionId=a', 'ws://fake/ws?sessionId=a', 'ws://fake/ws?sessionId=b']
    const { server, client, line } = await openClient({ url: async () => urls.shift() as string, first: state(3, 'a') })
    line.cut()
    const second = (await server.socket(2)).open(delta(3, 3))
    expect(second.after).toBe('3')
    second.cut()
    const third = await server.socket(3)
    expect(third.url.href).toBe('ws://fake/ws?sessionId=b&marks=1')
    third.open(delta(3, 4))
    expect(client.connection.resyncs).toBe(1)
    client.close()
  })

  test('an address that cannot be had is asked for again', async () => {
    let asked = 0
    const server = fakeServer()
    const client = fakeClientOf(server, {
      url: () => {
        asked += 1
        if (asked < 3) throw new Error('not yet')
        return 'ws://fake/ws?userId=ann'
      },
    })
    const line = await server.socket(1)
    expect(client.connection).toMatchObject({ phase: 'connecting', attempt: 2, error: { code: 'network' } })
    line.open(state(0))
    expect(client.connection.phase).toBe('open')
    client.close()
  })

  test.each([
    ['[T18] a session that was removed', 4004, 'session_removed'],
    ['a refusal', 1008, 'refused'],
  ])('%s is the end', async (_name, code, expected) => {
    const { server, client, line } = await openClient({ first: state(1, 'kept') })
    line.cut(code, 'Over.')
    expect(client.connection).toMatchObject({ phase: 'closed', error: { code: expected, message: 'Over.' } })
    expect(textsOf(client)).toEqual(['kept'])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(server.sockets).toHaveLength(1)
  })

  test.each([1000, 1001, 1006, 1011, 1012, 4008])('[T18] after %i it comes back', async (code) => {
    const { server, client, line } = await openClient()
    line.cut(code)
    expect((await server.socket(2)).after).toBe('0')
    client.close()
  })

  test('closed is closed', async () => {
    const { server, client, line } = await openClient()
    const phases: HarnessConnection['phase'][] = []
    client.on('connection', ({ phase }) => phases.push(phase))
    client.close()
    client.close()
    expect(line.closedWith).toBe(1000)
    expect(phases).toEqual(['closed'])
    expect(client.connection.error).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(server.sockets).toHaveLength(1)
  })

  test('a server without numbers gets no `after` and may skip no check it never promised', async () => {
    const { server, client, line } = await openClient({ first: state(undefined, 'a') })
    line.raw(JSON.stringify({ type: 'delta', operations: [append(0, 'b')] }))
    expect(textsOf(client)).toEqual(['ab'])
    expect(client.connection).toMatchObject({ phase: 'open', lastSeq: null, resyncs: 0 })
    line.cut()
    const second = await server.socket(2)
    expect(second.after).toBeNull()
    second.open(state(undefined, 'abc'))
    expect(textsOf(client)).toEqual(['abc'])
    client.close()
  })
})

test('cut anywhere and however often, it ends where a client ends that was never cut', async () => {
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('say' as const), text: fc.string({ maxLength: 3 }) }),
    fc.record({ kind: fc.constant('more' as const), text: fc.string({ maxLength: 3 }) }),
    fc.record({ kind: fc.constant('status' as const), text: fc.constantFrom('idle', 'running', 'error') }),
    fc.record({ kind: fc.constant('clear' as const), text: fc.constant('') }),
  )
  const step = fc.record({
    operations: fc.array(operation, { maxLength: 4 }),
    cut: fc.boolean(),
    /** How the server meets who comes back: by what was missed, or by the whole state. */
    resumes: fc.boolean(),
    missed: fc.nat({ max: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const server = fakeServer()
      const client = fakeClientOf(server)
      const history: { operations: DeltaOperation[]; seq: number; prev: number; state: HarnessState }[] = []
      const head = () => history.at(-1) ?? { state: stateOf(), seq: 0 }
      let line = (await server.socket(1)).open(state(0))
      for (const { operations, cut, resumes, missed } of steps) {
        const advance = () => {
          const { state: before, seq } = head()
          let after = before
          const made = operations.map(({ kind, text }): DeltaOperation => {
            const last = after.messages.length
            const path = ['messages', `${last - 1}`, 'content']
            const next = (
              kind === 'more' && last > 0
                ? { type: 'append-text', path, value: text }
                : kind === 'status'
                  ? set(['status'], text)
                  : kind === 'clear'
                    ? set(['messages'], [])
                    : set(['messages', `${last}`], assistantMessage(text, `m-${last}`))
            ) as DeltaOperation
            after = applyOperations(after, [next])
            return next
          })
          history.push({ operations: made, prev: seq, seq: seq + made.length + 1, state: after })
        }
        if (cut) {
          line.cut()
          for (let time = 0; time < missed; time++) advance()
          line = await server.socket(server.sockets.length + 1)
          const from = Number(line.after)
          line.open()
          if (resumes && line.after !== null) {
            const since = history.filter(({ prev }) => prev >= from)
            for (const { operations: ops, prev, seq } of since) line.tell(delta(prev, seq, ...ops))
            if (since.length === 0) line.tell(delta(from, from))
          } else line.tell({ type: 'state', state: head().state, seq: head().seq })
        }
        advance()
        const { operations: ops, prev, seq } = history.at(-1) as (typeof history)[number]
        line.tell(delta(prev, seq, ...ops))
        expect(client.getSnapshot()).toEqual(head().state)
      }
      expect(client.connection).toMatchObject({ resyncs: 0, lastSeq: head().seq })
      client.close()
    }),
    { numRuns: isThorough ? 200 : 100 },
  )
})

test('any text at all: it never throws, never shows what is no state, and ends well', async () => {
  const something = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .record({
        type: fc.constantFrom('state', 'delta', 'error', 'ack', 'pong', 'toString', '__proto__'),
        state: fc.jsonValue(),
        seq: fc.oneof(fc.nat({ max: 3 }), fc.jsonValue()),
        prev: fc.oneof(fc.nat({ max: 3 }), fc.jsonValue()),
        operations: fc.array(
          fc.record({
            type: fc.constantFrom('set', 'append-text', 'x'),
            path: fc.array(fc.constantFrom('messages', '0', '1', 'content', 'status', '__proto__', 'approvals')),
            value: fc.jsonValue(),
          }),
        ),
      })
      .map((message) => JSON.stringify(message)),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(something, { maxLength: 10 }), async (texts) => {
      const { server, client } = await openClient({ first: state(0, 'a') })
      for (const text of texts) {
        server.sockets.at(-1)?.raw(text)
        const { status, messages } = client.getSnapshot()
        expect(typeof status).toBe('string')
        for (const message of messages) expect(typeof message.content).toBe('string')
        if (client.connection.phase !== 'open') (await server.socket(server.sockets.length + 1)).open(state(0, 'a'))
      }
      server.sockets.at(-1)?.tell(state(7, 'end'))
      expect(textsOf(client)).toEqual(['end'])
      client.close()
    }),
    { numRuns: isThorough ? 300 : 100 },
  )
})
