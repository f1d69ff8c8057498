// Models that fail, loop, never end or give no output; processes that are about to end; definitions that change.

import type { AnyEvent, Key } from '@bridle/kernel/event'
import { statusOf } from '@bridle/kernel/projections/state'
import { healthSnapshot } from '@bridle/kernel/views/health-snapshot'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { LanguageModel, ModelMessage } from '../model/model.ts'
import { ModelError } from '../model/model-error.ts'
import { tool } from '../tools/tool.ts'
import {
  type Answering,
  keyOf,
  LoopWorld,
  lastResults,
  lastText,
  openStream,
  type Reply,
  stubModel,
} from './loop.suite.ts'
import { TurnRecord } from './transcript/turn-record.ts'

const fails = (error: ModelError): never => {
  throw error
}
const busy = (retryAfterMs?: number) =>
  new ModelError('overloaded', 'Come back later.', retryAfterMs === undefined ? {} : { retryAfterMs })
const tested = (answer: Answering, more: object = {}) => agent({ name: 'tested', model: stubModel(answer), ...more })
/** Answers in this order, by the number of requests. */
const inOrder = (...replies: (Reply | (() => Reply))[]): { answer: Answering; count: () => number } => {
  let count = 0
  return {
    count: () => count,
    answer: () => {
      const reply = replies[count++] ?? { text: 'too often' }
      return typeof reply === 'function' ? reply() : reply
    },
  }
}
const diagnostics = async (it: LoopWorld) =>
  (await it.payloads('transport_diagnostic')).filter(({ kind }) => kind === 'model' || kind === 'provider_fallback')

describe('a model that fails', () => {
  test('[N47] is asked again after a pause, and its text is withdrawn', async () => {
    const { answer, count } = inOrder({ text: 'Half an ', cut: true }, () => fails(busy()), { text: 'Whole.' })
    const it = new LoopWorld(tested(answer))
    await it.submit('go')
    await it.quiet()
    expect(count()).toBe(1)
    await it.clock.pass(1_300)
    expect(count()).toBe(2)
    await it.clock.pass(2_600)
    expect(await it.result()).toBe('Whole.')
    expect(await diagnostics(it)).toMatchObject([
      { status: 'retrying', failure_count: 1, reason: expect.stringMatching(/^cut: /) },
      {
        status: 'retrying',
        failure_count: 2,
        reason: 'overloaded: Come back later.',
        provider_actual: 'test',
        model_actual: 'test/stub',
      },
    ])
    const { messages } = (await it.host.open(keyOf())).state.conversation
    expect(messages.at(-1)?.content).toBe('Whole.')
  })

  test('[N47] for long, lets the run leave memory; the next process asks at that time', async () => {
    const { answer, count } = inOrder(() => fails(busy(30_000)), { text: 'Now.' })
    const before = new LoopWorld(tested(answer))
    await before.submit('go')
    await before.quiet()
    expect(await before.payloads('run_waiting')).toHaveLength(1)
    expect(before.host.runningCount).toBe(0)
    const it = await before.again()
    expect(count()).toBe(1)
    await it.clock.pass(40_000)
    expect([count(), await it.result()]).toEqual([2, 'Now.'])
  })

  test('[N47] three times is given up; the next model of the list answers, also in the steps after', async () => {
    const asked: string[] = []
    const named = (name: string, answer: Answering) =>
      stubModel((prompt, options) => {
        asked.push(name)
        return answer(prompt, options)
      }, name)
    const first = named('first', () => fails(busy()))
    const second = named('second', (prompt) => (lastResults(prompt) ? { text: 'Done.' } : { calls: [['look', {}]] }))
    const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => 'seen' })
    const it = new LoopWorld(agent({ name: 'tested', model: [first, second], tools: [look] }))
    await it.submit('go')
    await it.clock.pass(10_000)
    expect(asked).toEqual(['first', 'first', 'first', 'second', 'second'])
    expect(await it.result()).toBe('Done.')
    expect((await diagnostics(it)).at(-1)).toMatchObject({ status: 'degraded', model_actual: 'test/second' })
  })

  test.each<[string, ModelError, number, object]>([
    [
      'for good',
      new ModelError('auth', 'The key is wrong.'),
      1,
      { reason: 'model_auth', message: 'The key is wrong.' },
    ],
    ['three times', busy(), 3, { reason: 'model_overloaded', message: 'Come back later.', transient: true }],
  ])('[N47] %s fails the run with the reason', async (_name, error, times, expected) => {
    const { answer, count } = inOrder(...Array.from({ length: 9 }, () => () => fails(error)))
    const it = new LoopWorld(tested(answer))
    await it.submit('go')
    await it.clock.pass(20_000)
    expect(count()).toBe(times)
    expect(await it.payloads('error')).toMatchObject([expected])
    expect(await it.payloads('turn_end')).toMatchObject([{ status: 'failed' }])
    expect(await diagnostics(it)).toMatchObject([
      ...Array.from({ length: times - 1 }, (_, index) => ({ status: 'retrying', failure_count: index + 1 })),
      { status: 'failed', failure_count: times, model_requested: 'test/stub', provider_actual: null },
    ])
  })

  test('[N111] that stalls in the middle of its answer is asked again, then the next one is; the half answers are withdrawn', async () => {
    const asked: string[] = []
    const stalls: LanguageModel = {
      ...stubModel(() => ({})),
      modelId: 'first',
      doStream: async () => {
        asked.push('first')
        const parts = [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'Half an ' },
        ] as const
        return { stream: openStream(parts) }
      },
    }
    const second = stubModel((prompt) => {
      asked.push('second')
      return { text: `To ${lastText(prompt)}.` }
    }, 'second')
    const it = new LoopWorld(agent({ name: 'tested', model: [stalls, second], limits: { stallMs: 4_000 } }))
    // The list begins anew in each turn, and in each session.
    const keys = ['a', 'b'].map((id) => keyOf(id))
    for (const prompt of ['one', 'two']) {
      await Promise.all(keys.map((key) => it.submit(prompt, key)))
      await it.clock.pass(60_000)
      for (const key of keys) expect(await it.result(key)).toBe(`To ${prompt}.`)
    }
    expect(asked.filter((name) => name === 'first')).toHaveLength(12)
    expect(asked.filter((name) => name === 'second')).toHaveLength(4)
    for (const key of keys) {
      const turn = ['retrying stalled', 'retrying stalled', 'degraded stalled']
      expect(
        (await it.payloads('transport_diagnostic', key)).map(
          ({ status, reason }) => `${status} ${reason?.split(':', 1)}`,
        ),
      ).toEqual([...turn, ...turn])
      const { messages } = (await it.host.open(key)).state.conversation
      expect(messages.map(({ content }) => content)).toEqual(['one', 'To one.', 'two', 'To two.'])
    }
  })

  test('[N111] a name that cannot be found is a failure that is not tried again; the next model answers', async () => {
    const names: string[] = []
    const resolveModel = async (name: string): Promise<LanguageModel> => {
      names.push(name)
      if (name === 'acme/gone') throw new ModelError('unavailable', 'Install it.', { retryable: false })
      return stubModel(() => ({ text: `From ${name}.` }))
    }
    const definition = agent({ name: 'tested', model: ['acme/gone', 'acme/here'] })
    const before = new LoopWorld(definition, undefined, undefined, undefined, { resolveModel })
    await before.ask('one')
    const it = await before.again()
    await it.ask('two')
    expect(await it.result()).toBe('From acme/here.')
    expect(names).toEqual(['acme/gone', 'acme/here', 'acme/gone', 'acme/here'])
    const fallback = { status: 'degraded', model_requested: 'acme/gone', model_actual: 'acme/here' }
    expect(await diagnostics(it)).toMatchObject([fallback, fallback])
  })

  test('[N235] a fallback has the words of the contract; health and the card say so until the first model answers', async () => {
    let isDown = true
    const first: LanguageModel = {
      ...stubModel(() => (isDown ? fails(new ModelError('auth', 'No key.')) : { text: 'First.' }), 'gpt'),
      provider: 'openai.responses',
    }
    const second: LanguageModel = {
      ...stubModel(() => ({ text: 'Second.' }), 'claude'),
      provider: 'anthropic.messages',
    }
    const it = new LoopWorld(agent({ name: 'tested', model: [first, second] }))
    const keys = ['a', 'b', 'c'].map((id) => keyOf(id))
    const look = async (key: Key) => {
      const { state } = await it.host.open(key)
      const { flags, reasons } = healthSnapshot(key, state, statusOf(state), state.at)
      const { provider, model } = (await it.payloads('session_state', key)).at(-1) ?? {}
      return { flags, reasons, provider, model }
    }
    for (const _turn of ['one', 'two']) {
      await Promise.all(keys.map((key) => it.ask('go', key)))
      for (const key of keys) {
        expect((await it.payloads('transport_diagnostic', key)).at(-1)).toEqual({
          ...{ status: 'degraded', kind: 'provider_fallback', provider_requested: 'openai' },
          ...{ provider_actual: 'anthropic', reason: 'auth: No key.', failure_count: 1 },
          ...{ model_requested: 'openai/gpt', model_actual: 'anthropic/claude', model_index: 1 },
        })
        expect(await look(key)).toEqual({
          ...{ flags: ['degraded'], reasons: ['degraded: auth: No key.'] },
          ...{ provider: 'anthropic', model: 'claude' },
        })
      }
    }
    isDown = false
    await it.ask('go', keys[0])
    expect(await it.result(keys[0])).toBe('First.')
    expect(await look(keys[0] as Key)).toEqual({ flags: [], reasons: [], provider: 'openai', model: 'gpt' })
    expect(await look(keys[1] as Key)).toMatchObject({ flags: ['degraded'], model: 'claude' })
  })

  test('[N235] a fallback in the log of an older version is read', async () => {
    const turn = new TurnRecord('r-1')
    const failure = (seq: number, payload: object) =>
      ({ seq, at: seq, run: 'r-1', type: 'transport_diagnostic', payload }) as unknown as AnyEvent
    turn.add(failure(1, { status: 'retrying', kind: 'model', failure_count: 2, model_index: 0 }))
    turn.add(failure(2, { status: 'fallback', kind: 'model', failure_count: 0, model_index: 1 }))
    expect([turn.model, turn.failures]).toEqual([1, 0])
    turn.add(failure(3, { status: 'degraded', kind: 'provider_fallback', failure_count: 3, model_index: 2 }))
    expect([turn.model, turn.failures]).toEqual([2, 0])
  })

  test('[N47] background work has its retries: a new attempt is a new chance', async () => {
    const { answer, count } = inOrder(...Array.from({ length: 4 }, () => () => fails(busy())), { text: 'At last.' })
    const it = new LoopWorld(tested(answer))
    await it.submit('go', keyOf(), { kind: 'background', maxRetries: 1 })
    await it.clock.pass(30_000)
    expect([count(), await it.result()]).toEqual([5, 'At last.'])
  })

  test('[N105] a name is no model where nothing knows names', async () => {
    const it = new LoopWorld(agent({ name: 'tested', model: 'anthropic/claude' }))
    await it.ask('go')
    expect(await it.payloads('error')).toMatchObject([
      { reason: 'model_unavailable', message: expect.stringContaining('Pass an object of its provider') },
    ])
  })
})

describe('a turn without end', () => {
  const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: (input) => input })
  const endless: Answering = (prompt) => ({ calls: [['look', { n: prompt.length }]] })

  test.each<[string, Answering, object, string]>([
    ['steps', endless, { steps: 4 }, 'max_steps'],
    ['calls', endless, { calls: 3 }, 'max_calls'],
    ['calls at once', () => ({ calls: Array.from({ length: 500 }, (_, n) => ['look', { n }]) }), {}, 'max_calls'],
    ['the same call', () => ({ calls: [['look', { n: 1 }]] }), {}, 'loop'],
  ])('[N48] of %s is ended, with the reason', async (_name, answer, limits, reason) => {
    const it = new LoopWorld(tested(answer, { tools: [look], limits }))
    await it.ask('go')
    await it.clock.pass(0)
    await it.quiet()
    expect(await it.payloads('error')).toMatchObject([{ reason }])
    expect(await it.payloads('turn_end')).toMatchObject([{ status: 'failed', stop_reason: reason }])
    const calls = await it.payloads('tool_call')
    expect(await it.payloads('tool_outcome')).toHaveLength(calls.length)
    expect(calls.length).toBeLessThan(10)
  })

  test('[N48] in time: a model that speaks on and on', async () => {
    const model: LanguageModel = {
      ...stubModel(() => ({})),
      doStream: async () => ({ stream: openStream([{ type: 'text-start', id: 't' }]) }),
    }
    const it = new LoopWorld(agent({ name: 'tested', model, limits: { turnMs: 60_000, stallMs: 3_600_000 } }))
    await it.submit('go')
    await it.clock.pass(60_001)
    expect(await it.payloads('error')).toMatchObject([{ reason: 'max_time' }])
  })

  test('[N42] in time: waiting for a person does not count', async () => {
    const ask = tool({ name: 'ask', description: 'Asks.', approve: true, run: () => 'yes' })
    const answer: Answering = (prompt) => (lastResults(prompt) ? { text: 'Done.' } : { calls: [['ask', {}]] })
    const it = new LoopWorld(tested(answer, { tools: [ask], limits: { turnMs: 60_000 } }))
    await it.submit('go')
    await it.clock.pass(3_600_000)
    await it.approve()
    expect(await it.result()).toBe('Done.')
  })
})

describe('an output', () => {
  const output = v.object({ severity: v.picklist(['low', 'high']) })

  test('[N34] is what the model gives to the tool `answer`, which ends the turn', async () => {
    const { answer, count } = inOrder({ text: 'It is bad.', calls: [['answer', { severity: 'high' }]] })
    const it = new LoopWorld(tested(answer, { output }))
    await it.ask('go')
    expect([count(), await it.result()]).toEqual([1, { severity: 'high' }])
    expect(await it.outcomes()).toEqual(['answer ok'])
  })

  test('[N34] that is missing or does not fit is asked for again, twice', async () => {
    const { answer, count } = inOrder(
      { text: 'High.' },
      { calls: [['answer', { severity: 'huge' }]] },
      { calls: [['answer', { severity: 'low' }]] },
    )
    const it = new LoopWorld(tested(answer, { output }))
    await it.ask('go')
    expect([count(), await it.result()]).toEqual([3, { severity: 'low' }])
    expect(await it.payloads('context_added')).toMatchObject([{ source: 'output_reminder' }])
  })

  test.each<[string, Reply[]]>([
    ['missing', [{ text: 'a' }, { text: 'b' }, { text: 'c' }]],
    ['invalid', [1, 2, 3].map((n) => ({ calls: [['answer', { severity: n }]] as const }))],
    ['missing and invalid', [{ text: 'a' }, { calls: [['answer', {}]] }, { text: 'c' }]],
  ])('[N34] %s three times: the run fails', async (_name, replies) => {
    const { answer, count } = inOrder(...replies)
    const it = new LoopWorld(tested(answer, { output }))
    await it.ask('go')
    expect(count()).toBe(3)
    expect(await it.payloads('error')).toMatchObject([{ reason: 'output_invalid' }])
  })

  test('[N34] is the same after the process ended between the call and the end', async () => {
    const { answer, count } = inOrder({ calls: [['answer', { severity: 'low' }]] })
    const before = new LoopWorld(tested(answer, { output }))
    before.log.after = ({ events }) => {
      if (events.some(({ type }) => type === 'tool_outcome')) before.kill()
    }
    await before.submit('go')
    await before.quiet()
    const it = await before.again()
    expect([count(), await it.result()]).toEqual([1, { severity: 'low' }])
  })
})

describe('a process that is about to end', () => {
  test('[N39] ends the call under way and begins nothing; nobody is asked anything afterwards', async () => {
    const release: (() => void)[] = []
    const made: unknown[] = []
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      run: (input) => {
        made.push(input)
        return new Promise((resolve) => release.push(() => resolve('paid')))
      },
    })
    const answer: Answering = (prompt) =>
      lastResults(prompt)
        ? { text: 'Done.' }
        : {
            calls: [
              ['pay', { n: 1 }],
              ['pay', { n: 2 }],
            ],
          }
    const before = new LoopWorld(tested(answer, { tools: [pay] }))
    await before.submit('go')
    await before.quiet()
    const resting = before.host.rest()
    await before.quiet()
    release[0]?.()
    await resting
    expect([made, await before.outcomes()]).toEqual([[{ n: 1 }], ['pay ok']])
    const it = await before.again()
    release[1]?.()
    await it.quiet()
    expect([made, await it.result()]).toEqual([[{ n: 1 }, { n: 2 }], 'Done.'])
    expect(await it.payloads('approval_required')).toEqual([])
  })

  test('[N39] lets the model end its answer, and begins none of its calls', async () => {
    const release: (() => void)[] = []
    const look = tool({ name: 'look', description: 'Looks.', run: () => 'seen' })
    const requests: ModelMessage[][] = []
    const answer: Answering = async (prompt) => {
      requests.push([...prompt])
      if (lastResults(prompt)) return { text: 'Done.' }
      await new Promise<void>((resolve) => release.push(resolve))
      return { text: 'Looking. ', calls: [['look', {}]] }
    }
    const before = new LoopWorld(tested(answer, { tools: [look] }))
    await before.submit('go')
    await before.quiet()
    const resting = before.host.rest()
    release[0]?.()
    await resting
    expect([await before.payloads('model_step'), await before.payloads('tool_call')]).toMatchObject([[{}], []])
    const it = await before.again()
    expect([requests.length, await it.result()]).toEqual([2, 'Done.'])
  })

  test('[N39] spends no time on a pause', async () => {
    const { answer, count } = inOrder(() => fails(busy()), { text: 'Now.' })
    const before = new LoopWorld(tested(answer))
    await before.submit('go')
    await before.quiet()
    await before.host.rest()
    const it = await before.again()
    await it.clock.pass(2_000)
    expect([count(), await it.result()]).toEqual([2, 'Now.'])
  })
})
