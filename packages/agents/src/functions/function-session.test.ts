import { catalogue, STREAM_EVENT_TYPES, type VisibleEventType } from '@bridle/events/catalogue'
import type { Json, JsonObject } from '@bridle/events/json'
import { describe, expect, test } from 'vitest'
import { agent, type RunContext } from '../agent.ts'
import { NativeWorld } from '../in-process/native.suite.ts'
import type { EmittableEventType } from '../session.ts'
import { tool } from '../tools/tool.ts'

type RunFunction = (context: RunContext<JsonObject>) => unknown
const world = (run: RunFunction, durable = true) =>
  new NativeWorld(agent({ name: 'tested', durable, run: run as () => Json }))

describe('the other methods of a session', () => {
  test('[N15] checkpoints, artifacts, usage and events of the catalogue', async () => {
    const it = world(async ({ session }) => {
      await session.checkpoint('half way')
      await session.artifact('notes.md', '# Notes', 'text/markdown')
      await session.artifact('lesson', 'Ask first.', undefined, 'memory_proposal')
      await session.usage({ inputTokens: 3, costUsd: 0.5 })
      await session.emit('context_warning', { message: 'soon full' })
    })
    await it.run()
    expect(await it.payloads('session_checkpoint')).toMatchObject([{ summary_text: 'half way', sequence: 1 }])
    expect(await it.payloads('artifact_published')).toMatchObject([
      { name: 'notes.md', content_type: 'text/markdown', kind: 'file' },
      { name: 'lesson', kind: 'memory_proposal' },
    ])
    expect(await it.payloads('usage')).toEqual([{ input_tokens: 3, cost_usd: 0.5 }])
    expect(await it.payloads('context_warning')).toEqual([{ message: 'soon full' }])
  })

  test('[N15] an agent may emit the events that the session does not append itself', () => {
    const withheld: Exclude<VisibleEventType, EmittableEventType>[] = [
      'session',
      'session_state',
      'turn_start',
      'approval_required',
      'approval_applied',
      'turn_end',
      'completed',
      'error',
    ]
    const contract = STREAM_EVENT_TYPES.filter((type) => catalogue[type].wire === 'seed')
    expect(contract.filter((type) => !['runner', 'server'].includes(catalogue[type].source))).toEqual(withheld)
  })

  test('[N19] an agent emits custom events, with names that are not in the catalogue', async () => {
    const own = { step: 1, nested: { list: [1, 'two', null] } }
    const it = world(async ({ session }) => {
      await session.emit('my_event', own)
      await session.emit('shop.order:placed', {})
      await session.emit('constructor', { a: 1 })
    })
    await it.run()
    expect(await it.payloads('custom_event')).toEqual([
      { name: 'my_event', data: own },
      { name: 'shop.order:placed', data: {} },
      { name: 'constructor', data: { a: 1 } },
    ])
  })

  test.each([
    ['a name of the catalogue', 'token', { text: 1 }, /token: text/],
    ['an event of the session', 'session_paused', {}, /"session_paused" is not an event/],
    ['a fact', 'run_started', {}, /"run_started" is not an event/],
    ['the wrapper itself', 'custom_event', { name: 'turn_end', data: {} }, /"custom_event" is not an event/],
    ['a name of a wire', 'health_snapshot', {}, /"health_snapshot" is not an event/],
    ['a name with spaces', 'my event', {}, /"my event" is not an event/],
    ['a long name', 'x'.repeat(65), {}, /is not an event/],
    ['a payload that is no object', 'mine', [1], /is not an object/],
    [
      'a large payload',
      'mine',
      { text: 'x'.repeat(64_000) },
      /larger than 64000 characters. Publish it as an artifact/,
    ],
  ])('[N19] a custom event is refused: %s', async (_name, type, payload, expected) => {
    const it = world(({ session }) => session.emit(type as never, payload as never))
    await it.run()
    expect(String((await it.payloads('error'))[0]?.message)).toMatch(expected)
    expect(await it.payloads('custom_event')).toEqual([])
  })

  test('[S30] an agent’s claim about its isolation or policy is shown as hearsay and changes no state', async () => {
    const notice = { requested_backend: 'auto', resolved_backend: 'firecracker', isolation: 'vm' }
    const it = world(async ({ session }) => {
      await session.emit('sandbox_notice', notice)
      await session.emit('policy_decision', { subject: 'all', outcome: 'allowed' })
    })
    await it.run()
    expect(await it.payloads('sandbox_notice')).toEqual([
      expect.objectContaining({ isolation: 'none' }),
      { ...notice, hearsay: true },
    ])
    expect((await it.payloads('policy_decision')).at(-1)).toMatchObject({ subject: 'all', hearsay: true })
    for (const state of await it.payloads('session_state')) expect(state).not.toMatchObject({ sandbox_isolation: 'vm' })
  })

  test.each<[string, RunFunction, RegExp]>([
    ['the session’s own life', ({ session }) => session.emit('turn_end' as never, {} as never), /"turn_end" is not an/],
    ['an unknown event', ({ session }) => session.emit('__proto__' as never, {} as never), /"__proto__" is not an/],
    ['a bad payload', ({ session }) => session.usage({ inputTokens: -1 }), /usage: input_tokens: /],
    ['no text', ({ session }) => session.text(1 as never), /takes a text/],
    ['no name', ({ session }) => session.tool('', {}, () => 1), /has a name/],
    [
      'a tool in place of its name',
      ({ session }) => session.tool(tool({ name: 'book', description: 'Books.', run: () => 1 }) as never, {}, () => 1),
      /the first argument of session\.tool\(\) is its name, a text.*Tools made with tool\(\) belong in `tools` of an agent with a model\./,
    ],
    ['no subject', ({ session }) => session.approval({ subject: '', reason: 'b' }), /has a name.*`subject`/],
    ['no artifact', ({ session }) => session.artifact('a', 1 as never), /takes a name and a text/],
    ['arguments that are none', ({ session }) => session.tool('a', [1], () => 1), /must be an object/],
    ['arguments that are not JSON', ({ session }) => session.tool('a', { n: 1n }, () => 1), /is not JSON/],
    ['an odd time', ({ session }) => session.tool('a', {}, () => 1, { timeoutMs: Number.NaN }), /timeoutMs is between/],
    [
      'an odd expiry',
      ({ session }) => session.approval({ subject: 'a', reason: 'b', expiresMs: Number.POSITIVE_INFINITY }),
      /expiresMs is between/,
    ],
  ])('[N15] refuses %s', async (_name, run, message) => {
    for (const durable of [true, false]) {
      const it = world(async (context) => {
        await run(context)
      }, durable)
      expect(await it.run()).toMatchObject({ status: 'failed', message: expect.stringMatching(message) })
    }
  })

  test.each<[string, RunFunction, RegExp]>([
    [
      'one call id twice',
      async ({ session }) => {
        await session.tool('a', {}, () => 1, { id: 'c1' })
        await session.tool('a', {}, () => 1, { id: 'c1' })
      },
      /"c1" was used before/,
    ],
    ['a step', ({ session }) => session.step('a', () => 1), /session.step\(\) needs a durable agent/],
    ['a sleep', ({ session }) => session.sleep('a', 1), /session.sleep\(\) needs a durable agent/],
    ['a signal', ({ session }) => session.waitFor('a'), /session.waitFor\(\) needs a durable agent/],
  ])('[N15] [N55] an agent with durable: false is refused %s', async (_name, run, message) => {
    const it = world(async (context) => {
      await run(context)
    }, false)
    expect(await it.run()).toMatchObject({ status: 'failed', message: expect.stringMatching(message) })
  })
})
