// Variants of an expensive test. `npm test` plays the first of them, and `npm run test:long` all.

/** Set by the parts of scripts/test-long.ts. */
export const isThorough = process.env.BRIDLE_VARIANTS === 'all'

/** Cases of a table: those of every run, and those of `npm run test:long`. */
export const variants = <T>(always: readonly T[], thorough: readonly T[]): readonly T[] =>
  isThorough ? [...always, ...thorough] : always

/** The places of a long table, from 1 on: every third in each run, and all in `npm run test:long`. */
export const places = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1).filter((place) => isThorough || place % 3 === 1)
