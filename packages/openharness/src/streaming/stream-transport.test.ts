// httpTransport and the shell on streams of the streaming profile.

import type { ActionDirective } from '@bridle/wire/openharness/wire'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type HttpTransportOptions, httpTransport } from '../http-transport.ts'
import type { PartialResponse, ShellOptions } from '../options.ts'
import { failure, say, stubShell, success } from '../stub-engine.suite.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** The pieces of a body; the stream then ends, breaks, or stays silent. */
interface Body {
  readonly pieces: readonly (string | Uint8Array)[]
  readonly end?: 'ends' | 'breaks' | 'silence'
}

const encoder = new TextEncoder()
const streamed = ({ pieces, end = 'ends' }: Body): Response => {
  const rest = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const piece = rest.shift()
      if (piece) controller.enqueue(piece)
      else if (end === 'ends') controller.close()
      else if (end === 'breaks') controller.error(new Error('cut'))
      else await new Promise(() => {})
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

const frame = (seq: number, data: object): string => `id: ${seq}\ndata: ${JSON.stringify({ seq, ...data })}\n\n`
const put = (seq: number, index: number, directive: object | null) =>
  frame(seq, { type: 'partial', changes: [{ index, directive }] })
const grow = (seq: number, index: number, keep: number, append: string) =>
  frame(seq, { type: 'partial', changes: [{ index, keep, append }] })
const final = (seq: number, message: object) => frame(seq, { type: 'final', message })

const ping = { action_type: 'com.example.ping', payload: { at: 1 } }

/** A shell that streams, with an engine that answers with these; the last one is repeated. */
const streamingShell = (
  answers: readonly (() => Response)[],
  http: Partial<HttpTransportOptions> = {},
  options: Partial<ShellOptions> = {},
) => {
  const sent: { readonly headers: Headers; readonly body: string }[] = []
  const partials: (readonly ActionDirective[])[] = []
  const ownFetch = async (_url: unknown, init: RequestInit = {}) => {
    sent.push({ headers: new Headers(init.headers), body: String(init.body) })
    return answers[Math.min(sent.length, answers.length) - 1]!()
  }
  const transport = httpTransport({ url: 'http://127.0.0.1:1/', fetch: ownFetch as typeof fetch, ...http })
  const onPartial = ({ action_directives }: PartialResponse) => partials.push(action_directives)
  return { ...stubShell([], { transport, onPartial, ...options }), sent, partials }
}
const stream = (...pieces: string[]) => streamed({ pieces })

test('[OHS55] a shell with onPartial asks for a stream, and takes JSON from an engine that has none', async () => {
  const json = () => Response.json(success(say('plain')))
  const { shell, sent, partials, calls } = streamingShell([
    json,
    () => stream(put(1, 0, say('x')), final(2, success(say('x')))),
  ])
  expect((await shell.send('One')).status).toBe('success')
  expect((await shell.send('Two')).status).toBe('success')
  expect([calls, partials]).toEqual([['plain', 'x'], [[say('x')]]])
  for (const { headers, body } of sent) {
    expect(headers.get('accept')).toBe('text/event-stream, application/json')
    expect(JSON.parse(body).capabilities).toMatchObject({ 'openharness.streaming': true })
  }
  const without = streamingShell([json], {}, { capabilities: { 'openharness.streaming': false } })
  await without.shell.send('Three')
  expect(without.sent[0]?.headers.get('accept')).toBe('application/json')
  expect(JSON.parse(without.sent[0]?.body ?? '{}').capabilities).not.toHaveProperty('openharness.streaming')
})

test('[OHS56] partial directives are shown as they stand, and executed once, after the final message', async () => {
  const whole = [say('One two'), ping]
  const story: unknown[] = []
  const { shell, calls, feedback } = streamingShell(
    [
      () =>
        stream(
          put(1, 0, say('One ')),
          put(2, 1, ping),
          put(3, 0, null),
          put(4, 0, say('One ')) + grow(5, 0, 4, 'two'),
          put(6, 1, ping),
          final(7, success(...whole)),
        ),
    ],
    {},
    { onPartial: ({ request_id, action_directives }) => story.push([request_id, action_directives, calls.length]) },
  )
  expect((await shell.send('Go', { requestId: 'r' })).status).toBe('success')
  expect(story).toEqual([
    ['r', [say('One ')], 0],
    ['r', [say('One '), ping], 0],
    ['r', [], 0],
    ['r', [say('One ')], 0],
    ['r', [say('One two')], 0],
    ['r', whole, 0],
  ])
  expect(calls).toEqual(['One two', { at: 1 }])
  expect(feedback.map(({ index, outcome }) => [index, outcome])).toEqual([
    [0, 'executed'],
    [1, 'executed'],
  ])
})

test('[OHS56] a handler of partial directives that throws changes nothing', async () => {
  const onPartial = () => {
    throw new Error('mine')
  }
  const { shell, calls, telemetry } = streamingShell(
    [() => stream(put(1, 0, say('x')), final(2, success(say('x'))))],
    {},
    { onPartial },
  )
  expect((await shell.send('Go', { requestId: 'r' })).status).toBe('success')
  expect([calls, telemetry.map(({ code, request_id }) => [code, request_id])]).toEqual([['x'], [['hook_failed', 'r']]])
})

test.each(['ends', 'breaks', 'silence'] as const)(
  '[OHS57] a stream that %s before its final message goes on behind its last frame, with the same body',
  async (end) => {
    const { shell, sent, calls, partials } = streamingShell([
      () => streamed({ pieces: [put(1, 0, say('One '))], end }),
      () => streamed({ pieces: [grow(2, 0, 4, 'two')], end }),
      () => stream(final(3, success(say('One two'), ping))),
    ])
    const turn = shell.send('Go', { requestId: 'r' })
    await vi.advanceTimersByTimeAsync(200_000)
    expect((await turn).status).toBe('success')
    expect(sent.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '1', '2'])
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
    expect([partials, calls]).toEqual([
      [[say('One ')], [say('One two')]],
      ['One two', { at: 1 }],
    ])
  },
)

test('[OHS57] a stream that gets no further is stream_broken, and nothing of it is executed', async () => {
  const { shell, sent, calls } = streamingShell(
    [
      () => streamed({ pieces: [put(1, 0, say('One ')), put(2, 1, ping)], end: 'breaks' }),
      () => {
        throw new Error('no connection')
      },
    ],
    { retries: 3 },
  )
  const turn = shell.send('Go', { requestId: 'r' })
  await vi.advanceTimersByTimeAsync(100_000)
  const { status, error } = await turn
  expect([status, error?.code, error?.retryable, error?.source]).toEqual(['error', 'stream_broken', true, 'shell'])
  expect([sent.length, calls]).toEqual([4, []])
})

test('[OHS57] a stream that never began is not sent again by itself', async () => {
  const { shell, sent } = streamingShell([
    () => {
      throw new Error('no connection')
    },
  ])
  expect((await shell.send('Go')).error?.code).toBe('unreachable')
  expect(sent).toHaveLength(1)
})

test('[OHS57] the final message of a stream may say that a retry helps: the next stream begins anew', async () => {
  const { shell, sent, calls, partials } = streamingShell([
    () => stream(put(1, 0, say('Half')), final(2, failure({ code: 'engine_unavailable', retryable: true }))),
    () => stream(put(1, 0, say('Whole')), final(2, success(say('Whole')))),
  ])
  const turn = shell.send('Go')
  await vi.advanceTimersByTimeAsync(20_000)
  expect((await turn).status).toBe('success')
  expect(sent.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, null])
  expect([partials, calls]).toEqual([[[say('Half')], [say('Whole')]], ['Whole']])
})

const broken: readonly [string, string, string | undefined, string?][] = [
  ['a frame that is no JSON', 'id: 1\ndata: {\n\n', 'data'],
  ['a frame that is no object', 'data: [1]\n\n', 'data'],
  ['no changes', frame(1, { type: 'partial' }), 'changes'],
  ['a change that is none', frame(1, { type: 'partial', changes: [1] }), 'changes'],
  ['a hole', put(1, 1, say('x')), 'changes.index'],
  ['a place below zero', put(1, -1, say('x')), 'changes.index'],
  ['no directive', put(1, 0, { text: 'x' }), 'changes.directive'],
  ['a text that is not there', grow(1, 0, 0, 'x'), 'changes.index'],
  ['a text of something else', put(1, 0, ping) + grow(2, 0, 0, 'x'), 'changes.index'],
  ['more than there is', put(1, 0, say('x')) + grow(2, 0, 2, 'x'), 'changes.keep'],
  [
    'no text',
    frame(1, {
      type: 'partial',
      changes: [
        { index: 0, directive: say('') },
        { index: 0, keep: 0 },
      ],
    }),
    'changes.append',
  ],
  ['a final frame without a message', final(1, { protocol_version: '1.0.0' }), 'message'],
  ['a large frame', `data: ${'x'.repeat(2_000)}`, undefined, 'too_large'],
  ['a large text', put(1, 0, say('x'.repeat(900))) + grow(2, 0, 900, 'y'.repeat(900)), undefined, 'too_large'],
]
test.each(broken)(
  '[OHS58] %s ends the turn, and nothing is executed',
  async (_name, text, field, code = 'invalid_response') => {
    const { shell, sent, calls } = streamingShell([() => stream(text, final(9, success(ping)))], { maxBytes: 1_000 })
    const { error } = await shell.send('Go')
    expect([error?.code, error?.details?.field, sent.length, calls]).toEqual([code, field, 1, []])
  },
)

test('[OHS58] comments, other fields and frames of another type are ignored; lines may end in any way, and pieces anywhere', async () => {
  const text = `: open\n\nretry: 5\n\n${put(1, 0, say('Ä𝄞'))}event: odd\n${frame(2, { type: 'later' })}${grow(3, 0, 3, '€')}${final(4, success(say('Ä𝄞€')))}`
  for (const ending of ['\n', '\r\n', '\r'])
    for (const size of [1, 2, 3, 7, 50]) {
      const bytes = encoder.encode(text.replaceAll('\n', ending))
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.slice(index * size, (index + 1) * size),
      )
      const { shell, calls, partials } = streamingShell([() => streamed({ pieces })])
      expect((await shell.send('Go')).error).toBe(null)
      expect([calls, partials]).toEqual([['Ä𝄞€'], [[say('Ä𝄞')], [say('Ä𝄞€')]]])
    }
})

test('[OHS33] the signal of a turn ends its stream', async () => {
  const controller = new AbortController()
  const { shell, partials, calls } = streamingShell([() => streamed({ pieces: [put(1, 0, say('x'))], end: 'silence' })])
  const turn = shell.send('Go', { signal: controller.signal })
  await vi.advanceTimersByTimeAsync(10)
  controller.abort()
  expect([(await turn).error?.code, partials.length, calls]).toEqual(['aborted', 1, []])
})
