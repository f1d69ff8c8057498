// Spans reach an SDK only through the application's copy of the API, and a newer minor version ignores an SDK registered
// through an older one.

export type OpenTelemetryApi = typeof import('@opentelemetry/api')

export const loadOpenTelemetry = async (): Promise<OpenTelemetryApi | null> => {
  try {
    return await import('@opentelemetry/api')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Shared by all copies of API 1.x. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1')

export type TracingState = 'off' | 'no SDK' | 'SDK registered' | 'API missing' | 'API mismatch'

export const tracingState = (api: OpenTelemetryApi | null): TracingState => {
  const registry = (globalThis as { [REGISTRY]?: { readonly trace?: object } })[REGISTRY]
  const provider = registry?.trace
  if (provider === undefined) return api === null ? 'off' : 'no SDK'
  if (api === null) return 'API missing'
  return api.trace.getTracerProvider() === provider ? 'SDK registered' : 'API mismatch'
}

/** Why a registered SDK receives no spans, and the fix; null if there is no problem. */
export const tracingProblem = (state: TracingState): string | null => {
  if (state === 'API missing')
    return 'An OpenTelemetry SDK is registered, but @opentelemetry/api is not installed, so there are no spans. Run: npm install @opentelemetry/api'
  if (state === 'API mismatch')
    return 'The OpenTelemetry SDK is registered with another version of @opentelemetry/api, so there are no spans. Run `npm ls @opentelemetry/api` and install the version that the SDK needs.'
  return null
}
