// OpenTelemetry spans from committed events: one per run, one per tool call below it, and one per request.

import { type AnyEvent, type Key, keyText } from '@bridle/kernel/event'
import type { RequestLogEntry } from '@bridle/surfaces/app'
import type { Context, Span } from '@opentelemetry/api'
import { isImport } from '../agents/run-updates.ts'
import type { OpenTelemetryApi } from './open-telemetry.ts'

/** Beyond it, the oldest span is dropped unfinished. Each costs about a kilobyte. */
const OPEN_SPANS_MAX = 10_000

export interface Tracing {
  request(entry: RequestLogEntry, now: number): void
  events(key: Key, events: readonly AnyEvent[]): void
}

const TRACED_EVENTS = new Set<string>([
  'turn_start',
  'run_resumed',
  'run_waiting',
  'tool_call',
  'tool_outcome',
  'usage',
  'turn_end',
])

const NO_TRACING: Tracing = { request: () => {}, events: () => {} }

export const createTracing = (api: OpenTelemetryApi | null): Tracing => {
  if (api === null) return NO_TRACING
  const { context, SpanKind, SpanStatusCode, trace } = api
  const tracer = trace.getTracer('bridle')
  const open = new Map<string, { readonly span: Span; readonly within: Context; readonly tokens: [number, number] }>()

  const begin = (
    id: string,
    name: string,
    at: number,
    attributes: Record<string, string | number>,
    parent?: Context,
  ) => {
    const first = open.keys().next().value
    if (open.size >= OPEN_SPANS_MAX && first !== undefined) open.delete(first)
    const within = parent ?? context.active()
    const span = tracer.startSpan(name, { startTime: at, attributes }, within)
    if (span.isRecording()) open.set(id, { span, within: trace.setSpan(within, span), tokens: [0, 0] })
  }
  const end = (id: string, at: number, problem: string | null) => {
    const span = open.get(id)?.span
    open.delete(id)
    if (problem !== null)
      span?.setAttribute('error.type', problem).setStatus({ code: SpanStatusCode.ERROR, message: problem })
    span?.end(at)
  }

  const record = (key: Key, event: AnyEvent): void => {
    if (event.hearsay || !TRACED_EVENTS.has(event.type)) return
    const run = `${keyText(key)} ${event.run}`
    // A run resumed by another process, or much later, continues in a new span.
    if (event.type === 'turn_start' || (event.type === 'run_resumed' && !open.has(run))) {
      const attributes = {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': key.agent,
        'gen_ai.conversation.id': key.id,
        'bridle.run': event.run ?? '',
      }
      begin(run, `invoke_agent ${key.agent}`, event.at, attributes)
    }
    if (event.type === 'tool_call') {
      const attributes = {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': event.payload.name,
        'gen_ai.tool.call.id': event.payload.tool_call_id,
      }
      const id = `${run} ${event.payload.tool_call_id}`
      begin(id, `execute_tool ${event.payload.name}`, event.at, attributes, open.get(run)?.within)
    }
    if (event.type === 'tool_outcome') {
      const { status, tool_call_id } = event.payload
      end(`${run} ${tool_call_id}`, event.at, status === 'ok' || status === 'artifact' ? null : status)
    }
    const openRun = event.type === 'usage' ? open.get(run) : undefined
    if (event.type === 'usage' && openRun) {
      openRun.tokens[0] += event.payload.input_tokens ?? 0
      openRun.tokens[1] += event.payload.output_tokens ?? 0
      const [input, output] = openRun.tokens
      openRun.span.setAttributes({ 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output })
    }
    if (event.type === 'run_waiting') end(run, event.at, null)
    if (event.type === 'turn_end') end(run, event.at, event.payload.status === 'failed' ? 'failed' : null)
  }

  return {
    request({ method, route, status, ms, correlationId }, now) {
      const attributes = { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status }
      const span = tracer.startSpan(`${method} ${route}`, {
        kind: SpanKind.SERVER,
        startTime: now - ms,
        attributes: { ...attributes, 'bridle.correlation_id': correlationId },
      })
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(now)
    },
    events(key, events) {
      if (isImport(events)) return
      for (const event of events) record(key, event)
    },
  }
}
