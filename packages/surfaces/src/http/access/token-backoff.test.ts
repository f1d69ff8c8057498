// Guessed tokens: an address that sends many wrong ones has to wait.

import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, errorTypeOf } from '../test-client.suite.ts'
import { ANONYMOUS_LIMIT } from './token-backoff.ts'

describe('[H35] guessing tokens', () => {
  const guarded = (more: object = {}) => {
    let address = '10.0.0.1'
    const here = testApp({
      tokens: [{ token: 'right' }, { token: 'also-right' }],
      authBackOff: { windowMs: 60_000, maxFailures: 3 },
      callerAddress: () => address,
      ...more,
    })
    const statuses = async (path: string, ...tokens: string[]) => {
      const all: number[] = []
      for (const token of tokens) all.push((await here.get(path, bearer(token))).status)
      return all
    }
    return { ...here, statuses, from: (other: string) => (address = other) }
  }

  test('after some wrong tokens an address is refused on every route until the window is over, even with a right token', async () => {
    const { statuses, advance, from, get } = guarded()
    expect(await statuses('/sessions', 'a', 'b')).toEqual([401, 401])
    expect(await statuses('/ready', 'c', 'd', 'right')).toEqual([200, 429, 429])
    expect(await statuses('/sessions', 'e', 'right')).toEqual([429, 429])
    expect((await get('/sessions?token=right')).status).toBe(429)
    const refused = await get('/metrics', bearer('right'))
    expect([errorTypeOf(refused.body), Number(refused.headers.get('retry-after')) > 0]).toEqual(['rate_limited', true])
    // A caller without a token guesses nothing.
    expect([(await get('/ready')).status, (await get('/health')).status, (await get('/sessions')).status]).toEqual([
      200, 200, 401,
    ])
    from('10.0.0.2')
    expect(await statuses('/sessions', 'right', 'f')).toEqual([200, 401])
    from('10.0.0.1')
    advance(60_000)
    expect(await statuses('/sessions', 'right')).toEqual([200])
  })

  test('a token that was right from this address before still works; another right one has to wait', async () => {
    const { statuses } = guarded()
    expect(await statuses('/sessions', 'right', 'a', 'b', 'c', 'd')).toEqual([200, 401, 401, 401, 429])
    expect(await statuses('/sessions', 'right', 'also-right')).toEqual([200, 429])
    expect(await statuses('/ready', 'right', 'x')).toEqual([200, 429])
  })

  test('a caller that a hook let in before still gets in', async () => {
    const { statuses } = guarded({
      extractAuthToken: ({ headers }: Request) => headers.get('authorization') === 'Bearer login',
    })
    expect(await statuses('/sessions', 'login', 'a', 'b', 'c', 'd', 'login')).toEqual([200, 401, 401, 401, 429, 200])
  })

  test('the default is thirty wrong tokens a minute', async () => {
    const { statuses } = guarded({ authBackOff: undefined })
    const all = await statuses('/sessions', ...Array.from({ length: 32 }, (_, n) => `guess-${n}`))
    expect([all.filter((status) => status === 401).length, all.filter((status) => status === 429).length]).toEqual([
      30, 2,
    ])
  })
})

describe('[H190] callers without a credential', () => {
  const guarded = () => {
    let address = '10.0.0.1'
    const here = testApp({ tokens: [{ token: 'right' }], callerAddress: () => address })
    const flood = async () => {
      for (let sent = 0; sent < ANONYMOUS_LIMIT.maxRequests; sent++) await here.get('/sessions')
    }
    return { ...here, flood, from: (other: string) => (address = other) }
  }

  test('are refused without a look after a thousand requests in ten seconds, and the connection is closed', async () => {
    const { get, flood, from, advance } = guarded()
    await flood()
    const refused = await get('/sessions')
    expect([refused.status, refused.headers.get('connection')]).toEqual([429, 'close'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // Probes, open routes and callers with a credential go on, also behind the same proxy.
    expect([(await get('/health')).status, (await get('/ready')).status]).toEqual([200, 200])
    expect((await get('/sessions', bearer('right'))).status).toBe(200)
    from('10.0.0.2')
    expect((await get('/sessions')).status).toBe(401)
    from('10.0.0.1')
    advance(ANONYMOUS_LIMIT.windowMs)
    expect((await get('/sessions')).status).toBe(401)
  })

  test('have no limit where none is needed', async () => {
    const { get } = testApp({ callerAddress: () => '127.0.0.1' })
    for (let sent = 0; sent <= ANONYMOUS_LIMIT.maxRequests; sent++) await get('/sessions/x')
    expect((await get('/sessions')).status).toBe(200)
  })
})
