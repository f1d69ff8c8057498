import type { AnyEvent } from '@bridle/kernel/event'
import * as api from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, expect, test } from 'vitest'
import { createTracing } from './tracing.ts'

const exporter = new InMemorySpanExporter()
api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
afterAll(() => api.trace.disable())

/** OpenTelemetry takes a small number for a time since the start of the process. */
const DAY = Date.UTC(2026, 0, 1)
const key = { tenant: 't', agent: 'triage', id: 's1' }
const event = (type: string, payload: object, at: number): AnyEvent =>
  ({ seq: at, at, type, payload, run: 'r-1', attempt: 1 }) as unknown as AnyEvent

test('[O8] a run and its calls become spans, one below the other', () => {
  createTracing(api).events(key, [
    event('turn_start', { turn_id: 'r-1', prompt: 'secret words' }, DAY + 1_000),
    event('tool_call', { name: 'read', tool_call_id: 'c1', arguments: { path: 'secret' } }, DAY + 2_000),
    event('tool_outcome', { tool_call_id: 'c1', status: 'error' }, DAY + 3_000),
    event('usage', { input_tokens: 3, output_tokens: 7 }, DAY + 3_500),
    event('usage', { input_tokens: 2 }, DAY + 3_600),
    event('turn_end', { turn_id: 'r-1', status: 'completed' }, DAY + 4_000),
  ])
  const [tool, run] = exporter.getFinishedSpans()
  expect([tool?.name, run?.name]).toEqual(['execute_tool read', 'invoke_agent triage'])
  expect(tool?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId)
  expect([run?.startTime[0], run?.endTime[0]]).toEqual([DAY / 1_000 + 1, DAY / 1_000 + 4])
  expect(run?.attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 5, 'gen_ai.conversation.id': 's1' })
  expect(tool?.status).toMatchObject({ message: 'error' })
  expect(JSON.stringify([tool?.attributes, run?.attributes])).not.toContain('secret')
})

test('[O8] a run that waits, and is taken up by another process, is two spans', () => {
  exporter.reset()
  createTracing(api).events(key, [
    event('turn_start', { turn_id: 'r-1', prompt: 'x' }, DAY + 1_000),
    event('run_waiting', {}, DAY + 2_000),
  ])
  createTracing(api).events(key, [
    event('run_resumed', {}, DAY + 9_000),
    event('run_resumed', {}, DAY + 9_001),
    event('tool_call', { name: 'read', tool_call_id: 'c1', arguments: {} }, DAY + 9_002),
    event('tool_outcome', { tool_call_id: 'c1', status: 'ok' }, DAY + 9_003),
    event('turn_end', { turn_id: 'r-1', status: 'failed' }, DAY + 9_004),
  ])
  const [first, tool, second] = exporter.getFinishedSpans()
  expect([first?.name, tool?.name, second?.name]).toEqual([
    'invoke_agent triage',
    'execute_tool read',
    'invoke_agent triage',
  ])
  expect(tool?.parentSpanContext?.spanId).toBe(second?.spanContext().spanId)
  expect(second?.attributes).toEqual({ ...first?.attributes, 'error.type': 'failed' })
  expect(tool?.attributes['gen_ai.operation.name']).toBe('execute_tool')
})

test('[O8] the past of an imported session has no spans here', () => {
  exporter.reset()
  createTracing(api).events(key, [
    event('turn_start', { turn_id: 'r-1', prompt: 'x' }, DAY + 1_000),
    event('turn_end', { turn_id: 'r-1', status: 'completed' }, DAY + 2_000),
    event('session_imported', { source: {}, digest: '' }, DAY + 9_000),
  ])
  expect(exporter.getFinishedSpans()).toEqual([])
})

test('[O8] a request becomes a span named by its route', () => {
  exporter.reset()
  const seen = { method: 'GET', url: '/sessions/x', route: '/sessions/:id', status: 404, ms: 5, correlationId: 'c-1' }
  createTracing(api).request(seen, 1_000)
  expect(exporter.getFinishedSpans()[0]).toMatchObject({
    name: 'GET /sessions/:id',
    attributes: { 'http.response.status_code': 404, 'bridle.correlation_id': 'c-1' },
  })
})
