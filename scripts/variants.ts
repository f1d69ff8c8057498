// Variants of an expensive test. `npm test` plays the first of them, and `npm run test:long` all.

/** Set by the parts of scripts/test-long.ts. */
export const isThorough = process.env.BRIDLE_VARIANTS === 'all'

/** Cases of a table: those of every run, and those of `npm run test:long`. */
export const variants = <T>(always: readonly T[], thorough: readonly T[]): readonly T[] =>
  isThorough ? [...always, ...thorough] : always
