import { describe, expect, test } from 'vitest'
import { OPEN_REQUESTS_MAX } from '../limits.ts'
import { worstCaseUsd } from '../request-admission.ts'
import { isProxyRefusal, type Reservation, SpendLedger, type SpendSums, whenToSend } from './spend-ledger.ts'

describe('[O27] whether a request may be sent', () => {
  test.each([
    ['without a limit', { spentUsd: 9, reservedUsd: 9, maxUsd: null }, 9, 'now'],
    ['within the limit', { spentUsd: 0.1, reservedUsd: 0.2, maxUsd: 0.5 }, 0.2, 'now'],
    ['beyond what is left, alone', { spentUsd: 0.1, reservedUsd: 0, maxUsd: 0.5 }, 9, 'now'],
    ['beyond what is left, beside another', { spentUsd: 0.1, reservedUsd: 0.2, maxUsd: 0.5 }, 0.3, 'later'],
    ['when the limit is reached', { spentUsd: 0.5, reservedUsd: 0, maxUsd: 0.5 }, 0, 'never'],
  ] as const)('%s', (_name, sums, usd, expected) => expect(whenToSend(sums, usd)).toBe(expected))
})

describe('[O27] a ledger', () => {
  const sent = async (answer: Promise<object>): Promise<Reservation> => (await answer) as Reservation

  test('however requests come and go, the limit is passed by one of them at most', async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const next = random(seed)
      const maxUsd = next()
      let last: SpendSums = { spentUsd: 0, reservedUsd: 0 }
      const ledger = new SpendLedger({ maxUsd, saveSums: (sums) => (last = sums) })
      const underWay: { reservation: Reservation; worst: number }[] = []
      let dearest = 0
      for (let step = 0; step < 60; step++) {
        if (next() < 0.6) {
          const worst = next() * 0.5
          ledger.reserve(worst).then((answer) => {
            if (!isProxyRefusal(answer)) underWay.push({ reservation: answer as Reservation, worst })
          })
        } else {
          const [one] = underWay.splice(Math.floor(next() * underWay.length), 1)
          const cost = one ? one.worst * next() : 0
          dearest = Math.max(dearest, cost)
          one?.reservation.settle(cost)
        }
        await null
        await null
        expect(ledger.spentUsd).toBeLessThanOrEqual(maxUsd + dearest)
        expect(ledger.sums).toEqual(last)
      }
    }
  })

  test('settles once, and tells before it is sent and after', async () => {
    const notes: SpendSums[] = []
    const ledger = new SpendLedger({ maxUsd: 1, spentUsd: 0.1, saveSums: (sums) => notes.push(sums) })
    const first = await sent(ledger.reserve(0.5))
    first.settle(0.2)
    first.settle(0.2)
    expect(notes.map(({ spentUsd, reservedUsd }) => [spentUsd.toFixed(2), reservedUsd])).toEqual([
      ['0.10', 0.5],
      ['0.30', 0],
    ])
  })

  test('a sum that cannot be noted is not spent', async () => {
    const ledger = new SpendLedger({
      maxUsd: 1,
      saveSums: () => {
        throw new Error('disk full')
      },
    })
    expect((await ledger.reserve(0.1)) as object).toMatchObject(['upstream_failed', expect.any(String)])
    expect(ledger.sums).toEqual({ spentUsd: 0, reservedUsd: 0 })
  })

  test('a raised limit lets go what waited; places are given back once', async () => {
    const ledger = new SpendLedger({ maxUsd: 0.5 })
    const first = await sent(ledger.reserve(0.5))
    const second = ledger.reserve(0.5)
    ledger.setLimit(2)
    ;(await sent(second)).settle(0)
    first.settle(0)
    const places = Array.from({ length: OPEN_REQUESTS_MAX }, () => ledger.openSlot())
    expect(isProxyRefusal(ledger.openSlot())).toBe(true)
    for (const place of places) if (!isProxyRefusal(place)) [place.release(), place.release()]
    expect(ledger.isIdle).toBe(true)
  })
})

describe('[O27] the worst case of a request', () => {
  const price = { input: 1, output: 10, cacheWrite: 1 }
  const usd = (body: object) => worstCaseUsd(body, JSON.stringify(body), price)
  const message = (content: unknown) => ({ max_tokens: 1, messages: [{ role: 'user', content }] })

  test('is each byte a token, and the longest answer that it allows', () => {
    const body = { max_tokens: 1_000, messages: [{ role: 'user', content: 'Grüße' }] }
    expect(usd(body)).toBeCloseTo((new TextEncoder().encode(JSON.stringify(body)).length + 10_000) / 1e6, 9)
    expect(usd({})).toBeCloseTo(1.28, 2)
    expect(usd({ max_output_tokens: 5 })).toBeLessThan(0.001)
  })

  test.each<[string, object, boolean]>([
    ['a picture of its own', message([{ type: 'image', source: { type: 'base64', data: 'x' } }]), false],
    ['a picture by address', message([{ type: 'image', source: { type: 'url', url: 'https://x' } }]), true],
    ['a file in a result', message([{ type: 'tool_result', content: [{ source: { type: 'file' } }] }]), true],
    ['a call with an address', message([{ type: 'tool_use', input: { source: { type: 'url' } } }]), false],
    ['a tool of its own', { max_tokens: 1, tools: [{ name: 'url', input_schema: {} }] }, false],
    ['a tool of the provider', { max_tokens: 1, tools: [{ type: 'web_search_20250305' }] }, true],
    ['an earlier answer', { max_output_tokens: 1, previous_response_id: 'r' }, true],
    ['a reference', { max_output_tokens: 1, input: [{ type: 'item_reference', id: 'x' }] }, true],
  ])('%s', (_name, body, brings) => expect(usd(body) >= 1).toBe(brings))
})

const random = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}
