import { expect, test } from 'vitest'
import { isThorough, variants } from '../scripts/variants.ts'
import { formatResult, simulate } from './run.ts'

/** `npm run test:long` plays twice as many here, and the seeds after these. */
const SEEDS = isThorough ? 20 : 10
const PER_TEST = 10
const timeout = 120_000

test.each(Array.from({ length: SEEDS / PER_TEST }, (_, index) => index * PER_TEST + 1))(
  `${PER_TEST} runs from seed %i on keep every promise`,
  { timeout },
  async (first) => {
    for (let seed = first; seed < first + PER_TEST; seed++) await keepsPromises(seed)
  },
)

test('the same seed is the same run', { timeout }, async () => {
  for (const seed of variants([3], [17, 42])) expect(await simulate(seed)).toEqual(await simulate(seed))
})

const keepsPromises = async (seed: number): Promise<void> => {
  const result = await simulate(seed)
  if (result.violations.length > 0) expect.fail(formatResult(result))
}
