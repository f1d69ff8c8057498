// Forwarding headers, with and without a proxy that the operator trusts.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer } from '../test-client.suite.ts'

describe('behind a proxy', () => {
  const proxy = '10.0.0.1'
  const trusting = { callerAddress: () => proxy, isTrustedProxy: (address: string) => address === proxy }

  test('[H54] limits count each caller behind a trusted proxy apart; without trust, all are one caller', async () => {
    const rateLimit = { windowMs: 60_000, maxRequests: 2 }
    const from = (caller: string) => ({ ...bearer('right'), 'x-forwarded-for': `6.6.6.6, ${caller}` })
    const hook = { extractAuthToken: () => true }
    const [trusted, plain] = [
      testApp({ ...trusting, ...hook, rateLimit }),
      testApp({ callerAddress: () => proxy, ...hook, rateLimit }),
    ]
    const answers: [string, number, number][] = []
    for (let round = 0; round < 3; round++)
      for (const caller of ['1.1.1.1', '2.2.2.2', '3.3.3.3'])
        answers.push([
          caller,
          (await trusted.get('/sessions', from(caller))).status,
          (await plain.get('/sessions', from(caller))).status,
        ])
    expect(answers.map(([, status]) => status)).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429])
    expect(answers.map(([, , status]) => status)).toEqual([200, 200, 429, 429, 429, 429, 429, 429, 429])
  })

  test.each([
    [{ 'x-forwarded-host': 'app.example.com' }, 'https://app.example.com', 200],
    [{ 'x-forwarded-host': 'app.example.com', 'x-forwarded-proto': 'https' }, 'https://app.example.com', 200],
    [{ 'x-forwarded-host': 'app.example.com', 'x-forwarded-proto': 'https' }, 'http://app.example.com', 403],
    [{ 'x-forwarded-host': 'evil.example, app.example.com' }, 'https://evil.example', 403],
    [{ 'x-forwarded-host': 'app.example.com' }, 'https://evil.example', 403],
  ] as [Record<string, string>, string, number][])(
    '[H55] with %j a page of %s gets %i, and without trust 403',
    async (headers, origin, status) => {
      const request = { ...bearer('right'), origin, host: 'upstream:4317', ...headers }
      expect((await testApp({ authToken: 'right', ...trusting }).get('/sessions', request)).status).toBe(status)
      expect((await testApp({ authToken: 'right', callerAddress: () => proxy }).get('/sessions', request)).status).toBe(
        403,
      )
    },
  )

  test.each([
    { 'x-forwarded-for': '1.1.1.1' },
    { forwarded: 'for=1.1.1.1' },
    { 'x-forwarded-host': 'localhost' },
    { 'x-real-ip': '1.1.1.1' },
    { 'x-client-ip': '1.1.1.1' },
    ...['proto', 'port', 'prefix', 'server', 'scheme', 'ssl', 'email'].map((name) => ({
      [`x-forwarded-${name}`]: 'x',
    })),
    { via: '1.1 vegur' },
    { 'true-client-ip': '1.1.1.1' },
    { 'cdn-loop': 'cloudflare' },
    ...['connecting-ip', 'ray', 'visitor', 'ipcountry', 'ew-via', 'access-jwt-assertion', 'warp-tag-id'].map(
      (name) => ({ [`cf-${name}`]: 'x' }),
    ),
    { version: '1.0' },
  ] as Record<string, string>[])(
    '[H56] a server without a token refuses a request that a proxy forwards: %j',
    async ({ version = '1.1', ...headers }) => {
      let asked = version
      const httpVersion = () => asked
      for (const options of [{ httpVersion }, { ...trusting, httpVersion }]) {
        asked = version
        const open = testApp(options)
        for (const path of ['/sessions', '/agents/scripted/x', '/approvals']) {
          const { status, body } = await open.get(path, headers)
          expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('came through a proxy')])
        }
        expect((await open.get('/health', headers)).status).toBe(200)
        expect((await open.get('/ready', headers)).body).toEqual({ ready: true })
        asked = '1.1'
        expect((await open.get('/sessions')).status).toBe(200)
        // Three paths and the probe: `bridle doctor` names the proxy.
        expect((await open.get('/ready')).body.workspace).toMatchObject({ proxiedRequests: 4 })
        asked = version
        // A name that resolves to this machine is refused, too.
        expect((await open.get('/sessions', { host: 'evil.example', ...headers })).status).toBe(403)
      }
      expect(
        (await testApp({ authToken: 'right', httpVersion }).get('/sessions', { ...headers, ...bearer('right') }))
          .status,
      ).toBe(200)
    },
  )

  test('[H56] a platform that terminates HTTP adds headers of its own, which count for nothing', async () => {
    expect((await testApp().get('/sessions', { 'cf-connecting-ip': '1.1.1.1', 'cf-ray': 'x' })).status).toBe(200)
  })
})
