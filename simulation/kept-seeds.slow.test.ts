import { expect, test } from 'vitest'
import { rotatingTenth } from '../scripts/variants.ts'
import { keptSeeds } from './kept-seeds.ts'
import { formatResult, simulate } from './run.ts'

test.each(rotatingTenth(keptSeeds))('seed %i: %s', { timeout: 60_000 }, async (seed) => {
  const result = await simulate(seed)
  if (result.violations.length > 0) expect.fail(formatResult(result))
})
