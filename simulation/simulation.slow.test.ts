import { expect, test } from 'vitest'
import { rotatingTenth, variants } from '../scripts/variants.ts'
import { formatResult, simulate } from './run.ts'

/** `npm run test:long` plays all of them, and the seeds after these. */
const seeds = rotatingTenth(Array.from({ length: 20 }, (_, index) => index + 1))
const timeout = 120_000

test.each(seeds)('seed %i keeps every promise', { timeout }, async (seed) => {
  const result = await simulate(seed)
  if (result.violations.length > 0) expect.fail(formatResult(result))
})

test('the same seed is the same run', { timeout }, async () => {
  for (const seed of variants([3], [17, 42])) expect(await simulate(seed)).toEqual(await simulate(seed))
})
