// Spans of a run, for programs that watch a server from outside. The target brings the tracer; without one nothing is recorded.

/** Values of a span, by the names of OpenTelemetry's conventions. */
export type SpanAttributes = { readonly [name: string]: string | number | string[] }

export interface SpanStart {
  readonly name: string
  /** client: the work happens at a provider. internal: it happens here. */
  readonly kind: 'client' | 'internal'
  readonly attributes: SpanAttributes
}

export interface TraceSpan {
  /** False: nobody listens, and attributes need not be put together. */
  readonly isRecording: boolean
  child(start: SpanStart): TraceSpan
  set(attributes: SpanAttributes): void
  /** Runs the work in such a way that spans which other libraries start in it are below this one. */
  within<T>(work: () => T): T
  /** `errorType` is a short reason, never a message; null: the work succeeded. */
  end(errorType: string | null): void
}

export interface RunTracer {
  start(start: SpanStart): TraceSpan
}

/** The span of a run that nobody watches. */
export const NO_SPAN: TraceSpan = {
  isRecording: false,
  child: () => NO_SPAN,
  set: () => {},
  within: (work) => work(),
  end: () => {},
}
