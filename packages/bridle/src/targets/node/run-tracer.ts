// The tracer of model agents: spans of OpenTelemetry, while they happen. Without a registered SDK nothing is recorded, and a run costs
// a single empty span.
import {
  type Context,
  context,
  isSpanContextValid,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { NO_SPAN, type RunTracer, type SpanStart, type TraceSpan } from '../../agents/trace/trace.ts'

export const createRunTracer = (): RunTracer => {
  const tracer = trace.getTracer('bridle')
  return { start: (start) => openSpan(tracer, start, context.active()) }
}

const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const

const openSpan = (tracer: Tracer, { name, kind, attributes }: SpanStart, parent: Context): TraceSpan => {
  const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent)
  if (!isSpanContextValid(span.spanContext())) return NO_SPAN
  const inside = trace.setSpan(parent, span)
  return {
    isRecording: true,
    child: (start) => openSpan(tracer, start, inside),
    set: (values) => void span.setAttributes(values),
    within: (work) => context.with(inside, work),
    end: (errorType) => {
      if (errorType !== null) {
        span.setAttribute('error.type', errorType)
        span.setStatus({ code: SpanStatusCode.ERROR, message: errorType })
      }
      span.end()
    },
  }
}
