// The first row of the matrix, in every run of the tests.
import { expect, test } from 'vitest'
import { isThorough } from '../scripts/variants.ts'
import { faults } from './faults.ts'
import { playRow } from './matrix.ts'

/** `npm run crash` plays twenty rounds of every fault. */
const ROUNDS = isThorough ? 10 : 5

test('[O39] [S12] [S15] [S24] kills break no promise', { timeout: 240_000 }, async () => {
  const seed = Number(process.env.BRIDLE_SEED ?? Date.now() % 2 ** 31)
  const kill = faults.find(({ name }) => name === 'kill -9')
  const { rounds, broken, looks, folder } = await playRow(kill!, ROUNDS, seed)
  expect(broken, `BRIDLE_SEED=${seed}, the folder is ${folder}`).toEqual([])
  expect(rounds).toBe(ROUNDS)
  // A round without checks proves nothing.
  for (const promise of ['1', '2', '3', '5', '6', '8'] as const) expect(looks[promise]).toBeGreaterThan(ROUNDS)
})
