// Rate limits: the callers that are counted apart, and the headers of the answers.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, errorTypeOf } from '../test-client.suite.ts'

describe('[H17] rate limits', () => {
  test('each token has its requests per window, and a refusal says when to try again', async () => {
    const { get, advance } = testApp({
      tokens: [{ token: 'a' }, { token: 'b' }],
      rateLimit: { windowMs: 60_000, maxRequests: 2 },
    })
    const statuses = async (token: string, times: number) => {
      const all: number[] = []
      for (let time = 0; time < times; time++) all.push((await get('/sessions', bearer(token))).status)
      return all
    }
    expect(await statuses('a', 3)).toEqual([200, 200, 429])
    const refused = await get('/sessions', bearer('a'))
    expect(errorTypeOf(refused.body)).toBe('rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await statuses('b', 1)).toEqual([200])
    expect((await get('/health', bearer('a'))).status).toBe(200)
    expect((await get('/ready', bearer('a'))).status).toBe(200)
    advance(60_000)
    expect(await statuses('a', 1)).toEqual([200])
  })

  test('callers without a token are counted by address, and wrong tokens count, too', async () => {
    let address = '10.0.0.1'
    const options = { rateLimit: { windowMs: 1_000, maxRequests: 1 }, callerAddress: () => address }
    const open = testApp(options)
    expect([(await open.get('/sessions')).status, (await open.get('/sessions')).status]).toEqual([200, 429])
    address = '10.0.0.2'
    expect((await open.get('/sessions')).status).toBe(200)
    const guarded = testApp({ ...options, authToken: 'right' })
    expect([(await guarded.get('/sessions')).status, (await guarded.get('/sessions')).status]).toEqual([401, 429])
  })
})

describe('[H53] rate limits in headers', () => {
  test('stand in every answer of a limited route, for each caller', async () => {
    const { get, advance } = testApp({
      tokens: [{ token: 'a' }, { token: 'b' }],
      rateLimit: { windowMs: 60_000, maxRequests: 2 },
    })
    advance(60_000 - (1_700_000_000_000 % 60_000))
    const headersOf = async (path: string, token: string) => {
      const { status, headers } = await get(path, bearer(token))
      const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'ratelimit']
      return [status, ...names.map((name) => headers.get(name))]
    }
    const policy = '"default";q=2;w=60'
    expect(await headersOf('/sessions', 'a')).toEqual([200, '2', '1', '60', policy, '"default";r=1;t=60'])
    expect(await headersOf('/sessions/none', 'a')).toEqual([404, '2', '0', '60', policy, '"default";r=0;t=60'])
    expect(await headersOf('/sessions', 'b')).toEqual([200, '2', '1', '60', policy, '"default";r=1;t=60'])
    advance(20_000)
    expect(await headersOf('/sessions', 'a')).toEqual([429, '2', '0', '40', policy, '"default";r=0;t=40'])
    expect(await headersOf('/health', 'a')).toEqual([200, null, null, null, null, null])
    expect((await testApp().get('/sessions')).headers.get('ratelimit')).toBeNull()
  })
})
