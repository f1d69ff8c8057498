// Variants of an expensive test. `npm test` plays the first of them, and `npm run test:long` all.

/** Set by the parts of scripts/test-long.ts. */
export const isThorough = process.env.BRIDLE_VARIANTS === 'all'

/** Cases of a table: those of every run, and those of `npm run test:long`. */
export const variants = <T>(always: readonly T[], thorough: readonly T[]): readonly T[] =>
  isThorough ? [...always, ...thorough] : always

/** `BRIDLE_TENTH=3` plays again what failed on a day of the fourth tenth. */
const tenthOfToday = Number(process.env.BRIDLE_TENTH ?? Math.floor(Date.now() / 86_400_000) % 10)

/** A tenth of the rows of a long table, another tenth each day; every row in `npm run test:long`. */
export const rotatingTenth = <T>(rows: readonly T[], tenth = tenthOfToday, isAll = isThorough): readonly T[] =>
  isAll ? rows : rows.filter((_, index) => index % 10 === tenth % Math.min(10, rows.length))

/** The places of a long table, from 1 on. */
export const places = (count: number): readonly number[] =>
  rotatingTenth(Array.from({ length: count }, (_, index) => index + 1))
