// Without a registered SDK, a run costs one empty span.

import { NO_SPAN, type RunTracer, type SpanStart, type TraceSpan } from '@bridle/agents/trace/trace'
import type { Context, Tracer } from '@opentelemetry/api'
import type { OpenTelemetryApi } from './open-telemetry.ts'

export const createRunTracer = (api: OpenTelemetryApi): RunTracer => {
  const tracer = api.trace.getTracer('bridle')
  return { start: (start) => openSpan(api, tracer, start, api.context.active()) }
}

const KINDS = { client: 'CLIENT', internal: 'INTERNAL' } as const

const openSpan = (
  api: OpenTelemetryApi,
  tracer: Tracer,
  { name, kind, attributes }: SpanStart,
  parent: Context,
): TraceSpan => {
  const span = tracer.startSpan(name, { kind: api.SpanKind[KINDS[kind]], attributes }, parent)
  if (!api.isSpanContextValid(span.spanContext())) return NO_SPAN
  const inside = api.trace.setSpan(parent, span)
  return {
    isRecording: true,
    child: (start) => openSpan(api, tracer, start, inside),
    set: (values) => void span.setAttributes(values),
    within: (work) => api.context.with(inside, work),
    end: (errorType) => {
      if (errorType !== null) {
        span.setAttribute('error.type', errorType)
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: errorType })
      }
      span.end()
    },
  }
}
