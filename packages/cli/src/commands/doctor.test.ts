import { tracingState } from '@bridle/server/node/open-telemetry'
import * as api from '@opentelemetry/api'
import { afterEach, expect, test } from 'vitest'
import { proxyFindings, tracingFindings } from './doctor.ts'

const REGISTRY = Symbol.for('opentelemetry.js.api.1')
const provider = { getTracer: () => new api.ProxyTracerProvider().getTracer('test') }
afterEach(() => {
  api.trace.disable()
  Reflect.deleteProperty(globalThis, REGISTRY)
})

const findings = (copy: typeof api | null) => tracingFindings(tracingState(copy))

test('[C14] doctor is silent about OpenTelemetry until an SDK is registered', () => {
  expect([findings(api), findings(null)]).toEqual([[], []])
  api.trace.setGlobalTracerProvider(provider)
  expect(findings(api)).toEqual([{ check: 'OpenTelemetry', state: 'ok', detail: 'spans reach the registered SDK' }])
})

test('[C14] doctor says why a registered SDK gets no spans', () => {
  const state = 'wrong'
  const check = 'OpenTelemetry'
  api.trace.setGlobalTracerProvider(provider)
  expect(findings(null)).toEqual([{ check, state, detail: expect.stringMatching(/not installed.*npm install/) }])
  // As an older copy of the API registers itself: this one does not take its registry.
  api.trace.disable()
  Object.assign(globalThis, { [REGISTRY]: { version: '1.0.0', trace: provider } })
  expect(findings(api)).toEqual([{ check, state, detail: expect.stringMatching(/another version.*npm ls/) }])
})

test('[C14] doctor warns about a proxy in front of a server without a token', () => {
  expect(proxyFindings(0, [])).toEqual([])
  expect(proxyFindings(1, [])).toMatchObject([
    { state: 'note', detail: expect.stringContaining('refused 1 request that') },
  ])
  expect(proxyFindings(3, [])).toMatchObject([{ state: 'note', detail: expect.stringContaining('--token') }])
  expect(proxyFindings(3, ['http://192.0.2.1:80'])).toMatchObject([
    {
      check: 'proxy',
      state: 'wrong',
      detail: expect.stringMatching(/^http:\/\/192\.0\.2\.1:80 passes .* Start the server with --token$/),
    },
  ])
})
