// How many inputs each surface gets, and from which seed. `npm test` has the same few each time; `npm run test:long` has
// 10,000 fresh ones, and says the seed that makes them again: BRIDLE_SEED=17 BRIDLE_FUZZ_INPUTS=10000 npx vitest run fuzz/
import fc from 'fast-check'

const INPUTS = 100
const SEED = 11

export const inputs = Number(process.env.BRIDLE_FUZZ_INPUTS ?? INPUTS)

const seed = Number(process.env.BRIDLE_SEED ?? (inputs === INPUTS ? SEED : Date.now() % 2 ** 31))
if (inputs !== INPUTS) console.log(`BRIDLE_SEED=${seed} BRIDLE_FUZZ_INPUTS=${inputs}`)

/** Holds for every input, one after the other. A share is for inputs that each cost a whole run. */
export const holdsForAll = <T>(
  arbitrary: fc.Arbitrary<T>,
  check: (input: T) => Promise<void> | void,
  share = 1,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(arbitrary, async (input) => check(input)),
    // Shrinking tries few inputs: a server remembers the earlier ones, so a shorter input means something else.
    { numRuns: Math.ceil(inputs * share), seed, endOnFailure: inputs !== INPUTS },
  )
