// Native agents in the simulation: the process is gone at any write, and a durable run goes on as if nothing had happened.
import { expect, test } from 'vitest'
import { isThorough, variants } from '../scripts/variants.ts'
import { formatResult, simulate } from './run.ts'

/** `npm run test:long` plays twice as many here, and the seeds after these. */
const SEEDS = isThorough ? 20 : 10
const PER_TEST = 10
const timeout = 120_000

test.each(Array.from({ length: SEEDS / PER_TEST }, (_, index) => index * PER_TEST + 1))(
  `[N14] ${PER_TEST} runs of native agents from seed %i on keep every promise`,
  { timeout },
  async (first) => {
    for (let seed = first; seed < first + PER_TEST; seed++) {
      const result = await simulate(seed, { native: true })
      if (result.violations.length > 0) expect.fail(formatResult(result))
    }
  },
)

test('the same seed is the same run of native agents', { timeout }, async () => {
  for (const seed of variants([3], [17]))
    expect(await simulate(seed, { native: true })).toEqual(await simulate(seed, { native: true }))
})
