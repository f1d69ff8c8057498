// How many inputs each surface gets, and from which seed. `npm test` has the same few each time; `npm run test:long` has
// 10,000 fresh ones, and prints the seed that repeats them: BRIDLE_SEED=17 BRIDLE_FUZZ_INPUTS=10000 npx vitest run fuzz/
import fc from 'fast-check'

const INPUTS = 100
const SEED = 11

export const inputs = Number(process.env.BRIDLE_FUZZ_INPUTS ?? INPUTS)

const seed = Number(process.env.BRIDLE_SEED ?? (inputs === INPUTS ? SEED : Date.now() % 2 ** 31))
if (inputs !== INPUTS) console.log(`BRIDLE_SEED=${seed} BRIDLE_FUZZ_INPUTS=${inputs}`)

/** Checks the property for every input in sequence. `share` reduces the number where each input costs a whole run. */
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
