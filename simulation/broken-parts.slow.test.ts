import { expect, test } from 'vitest'
import { brokenStores, skipChanges } from './broken-parts.ts'
import type { Violation } from './ground.ts'
import { type SimulationOptions, simulate } from './run.ts'

const SEEDS_MAX = 60
const timeout = 60_000

test.each(brokenStores)('a store that $name is found out', { timeout }, async ({ breaks, breakStore }) => {
  expect(breaks).toContain((await firstViolation({ breakStore }, breaks))?.promise)
})

test('a subscriber that misses a change is found out', { timeout }, async () => {
  const mend = skipChanges()
  try {
    expect((await firstViolation({}, [3, 14]))?.text).toMatch(/got \d+ after \d+|sees another conversation/)
  } finally {
    mend()
  }
})

test('functions that begin again and know nothing are found out', { timeout }, async () => {
  const found = await firstViolation({ native: true, breakFunctions: true }, ['effects'])
  expect(found?.text).toMatch(/made again after its outcome|announced 2 times|was interrupted/)
})

const firstViolation = async (
  options: SimulationOptions,
  of: readonly (number | string)[],
): Promise<Violation | undefined> => {
  for (let seed = 1; seed <= SEEDS_MAX; seed++) {
    const { violations } = await simulate(seed, options)
    const found = violations.find(({ promise }) => of.includes(promise))
    if (found) return found
  }
  return undefined
}
