// The spans of model agents, through OpenTelemetry's own API and SDK.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '@bridle/agents/agent'
import { reader, readerOf } from '@bridle/agents/loop/context/context.suite'
import { keyOf, LoopWorld, lastResults, lastText, stubModel } from '@bridle/agents/loop/loop.suite'
import type { LanguageModel } from '@bridle/agents/model/model'
import { ModelError } from '@bridle/agents/model/model-error'
import { tool } from '@bridle/agents/tools/tool'
import { post } from '@bridle/surfaces/http/test-client.suite'
import * as api from '@opentelemetry/api'
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { HarnessServer } from './index.ts'
import { createRunTracer } from './run-tracer.ts'

const exporter = new InMemorySpanExporter()
const storage = new AsyncLocalStorage<Context>()
const manager: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (within, work, self, ...args) => storage.run(within, () => work.call(self as never, ...args)),
  bind: (_within, target) => target,
  enable: () => manager,
  disable: () => manager,
}
beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  context.setGlobalContextManager(manager)
})
afterEach(() => exporter.reset())
afterAll(() => {
  trace.disable()
  context.disable()
})

const world = (definition: Parameters<typeof agent>[0] | object) =>
  new LoopWorld(agent({ name: 'tested', ...definition } as never), undefined, undefined, undefined, {
    trace: createRunTracer(api),
  })
const spans = (prefix = '') => exporter.getFinishedSpans().filter(({ name }) => name.startsWith(prefix))
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId
const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId
/** The names of a run's spans, those below it indented, in the order in which they ended. */
const treeOf = (run: ReadableSpan | undefined): string[] =>
  exporter.getFinishedSpans().flatMap((span) => (parentOf(span) === idOf(run) ? [span.name] : []))

const look = tool({
  name: 'look',
  description: 'Looks.',
  effect: 'pure',
  run: async ({ at }) => {
    await Promise.resolve()
    // A span of the user's own, begun behind an await.
    trace.getTracer('theirs').startSpan(`query ${at}`).end()
    if (at === 'b') throw new Error('secret failure')
    return 'secret result'
  },
})
const looker = (provider = 'anthropic.messages'): LanguageModel => ({
  ...stubModel((prompt) => {
    if (lastResults(prompt)) return { text: 'secret answer' }
    return {
      text: 'x',
      calls: [
        ['look', { at: 'a' }],
        ['look', { at: 'b' }],
      ],
    }
  }, 'claude-x'),
  provider,
})

describe('[N112] spans of a model agent', () => {
  test('a run, with the calls of its model and of its tools below it, across awaits and interleaved sessions', async () => {
    const it = world({ model: looker(), tools: [look], settings: { temperature: 0.5, maxOutputTokens: 99 } })
    const keys = ['s1', 's2', 's3'].map((id) => keyOf(id))
    await Promise.all(keys.map((key) => it.submit('secret prompt', key)))
    await it.quiet()
    const runs = spans('invoke_agent')
    expect(runs.map(({ attributes }) => attributes['gen_ai.conversation.id']).sort()).toEqual(['s1', 's2', 's3'])
    for (const run of runs) {
      expect(run.name).toBe('invoke_agent tested')
      expect(treeOf(run)).toEqual(['chat claude-x', 'execute_tool look', 'execute_tool look', 'chat claude-x'])
      expect(run.attributes).toEqual({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'tested',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.request.model': 'claude-x',
        'gen_ai.conversation.id': expect.any(String),
        'gen_ai.usage.input_tokens': 20,
        'gen_ai.usage.output_tokens': 10,
        'bridle.run': expect.any(String),
      })
    }
    const chat = spans('chat')[0]
    expect(chat?.kind).toBe(2)
    expect(chat?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-x',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 99,
      'gen_ai.conversation.id': expect.any(String),
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
    })
    const callId = ({ attributes }: ReadableSpan) => String(attributes['gen_ai.tool.call.id'])
    const [ok, failed] = spans('execute_tool')
      .filter(({ attributes }) => attributes['gen_ai.conversation.id'] === 's1')
      .sort((a, b) => callId(a).localeCompare(callId(b)))
    expect(ok?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': expect.stringMatching(/\.1\.1$/),
      'gen_ai.conversation.id': 's1',
    })
    expect([ok?.status.code, failed?.status.code, failed?.attributes['error.type']]).toEqual([0, 2, 'error'])
    // Spans of other libraries stand below the call that made them.
    expect(spans('query').map(parentOf).sort()).toEqual(spans('execute_tool').map(idOf).sort())
    expect(JSON.stringify(spans().map(({ attributes, status }) => [attributes, status]))).not.toContain('secret')
  })

  test('a process that takes a run up makes a span of its own', async () => {
    const ask = tool({ name: 'pay', description: 'Pays.', approve: true, run: () => 'paid' })
    const model = stubModel((prompt) => (lastResults(prompt) ? { text: 'Done.' } : { calls: [['pay', {}]] }))
    const before = world({ model, tools: [ask] })
    await before.submit('go')
    await before.quiet()
    expect(spans().map(({ name }) => name)).toEqual(['chat stub', 'invoke_agent tested'])
    const it = await before.again()
    await it.approve()
    const [first, second] = spans('invoke_agent')
    expect([treeOf(first), treeOf(second)]).toEqual([['chat stub'], ['execute_tool pay', 'chat stub']])
    expect(second?.attributes['bridle.run']).toBe(first?.attributes['bridle.run'])
    expect(idOf(second)).not.toBe(idOf(first))
  })

  test('the summary of a long conversation is a call of the model, too', async () => {
    const it = new LoopWorld(reader(readerOf(1)), undefined, undefined, undefined, {
      trace: createRunTracer(api),
    })
    for (
      let n = 1;
      n < 40 && (await it.payloads('context_compacted')).every(({ kept_from }) => kept_from === undefined);
      n++
    )
      await it.ask(`turn ${n}: KEEP(fact${n})`)
    const steps = (await it.payloads('model_step')).length
    expect(spans('chat').length).toBeGreaterThan(steps)
    expect(spans('chat').every((span) => spans('invoke_agent').some((run) => idOf(run) === parentOf(span)))).toBe(true)
  })

  test('each failed call of a model is one, with its reason; so is the run that fails', async () => {
    const fails = (reason: 'auth' | 'refused', id: string) =>
      stubModel(() => {
        throw new ModelError(reason, 'secret words of the provider')
      }, id)
    const it = world({ model: [fails('auth', 'first'), fails('refused', 'second')] })
    await it.ask('go')
    expect(spans().map(({ name, attributes, status }) => [name, attributes['error.type'], status.code])).toEqual([
      ['chat first', 'auth', 2],
      ['chat second', 'refused', 2],
      ['invoke_agent tested', 'model_refused', 2],
    ])
    expect(JSON.stringify(spans().map(({ attributes, status }) => [attributes, status]))).not.toContain('secret')
  })

  test('a run whose model is a name has its parts', async () => {
    await world({ model: 'google/models/gemini-x' }).ask('go')
    expect(spans('invoke_agent')[0]?.attributes).toMatchObject({
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'models/gemini-x',
      'error.type': 'model_unavailable',
    })
  })

  test.each([
    ['openai.responses', 'openai'],
    ['google.generative-ai', 'gcp.gemini'],
    ['google.vertex.chat', 'gcp.vertex_ai'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['mistral.chat', 'mistral_ai'],
    ['openai-compatible', 'openai-compatible'],
  ])('the provider %s is %s', async (provider, expected) => {
    await world({ model: looker(provider), tools: [look] }).ask('go')
    expect(spans('chat')[0]?.attributes['gen_ai.provider.name']).toBe(expected)
  })

  test('[O8] a server makes one span for each run, whatever drives it', async () => {
    const data = mkdtempSync(join(tmpdir(), 'bridle-spans-'))
    const model = stubModel(() => ({ text: 'Hi.' }))
    const server = await HarnessServer.start({
      ...{ port: 0, store: 'memory', data, agentsRoot: data, log: () => {}, tokenPaceMs: 0, env: {} },
      agents: [agent({ name: 'thinker', model }), agent({ name: 'doer', run: () => 'Hi.' })],
    })
    try {
      for (const id of ['a', 'b'])
        for (const name of ['thinker', 'doer', 'scripted'])
          expect((await post(`${server.url}/agents/${name}/${id}`, { prompt: 'Hi' })).status).toBe(200)
      const count = (name: string) => spans(`invoke_agent ${name}`).length
      await vi.waitFor(() => expect(['thinker', 'doer', 'scripted'].map(count)).toEqual([2, 2, 2]))
      expect(spans('chat').map(parentOf).sort()).toEqual(spans('invoke_agent thinker').map(idOf).sort())
    } finally {
      await server.close()
      rmSync(data, { recursive: true, force: true })
    }
  })

  test('without an SDK there are none, and the run is the same', async () => {
    trace.disable()
    const it = world({ model: stubModel((prompt) => ({ text: lastText(prompt) })) })
    await it.ask('hello')
    expect([spans(), await it.result()]).toEqual([[], 'hello'])
  })
})
