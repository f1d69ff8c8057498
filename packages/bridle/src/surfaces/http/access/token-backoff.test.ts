// Guessed tokens: an address that sends many wrong ones has to wait.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, errorTypeOf } from '../test-client.suite.ts'

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
