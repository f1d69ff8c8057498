// A benchmark's result: a ratio between two variants that ran side by side. Absolute numbers hold for one machine;
// a ratio holds for others too.
export interface BenchFigure {
  readonly id: string
  readonly what: string
  /** The median over rounds; each round's ratio is taken within that round. */
  readonly ratio: number
  readonly min: number
  readonly max: number
  readonly target: number
  readonly better: 'higher' | 'lower'
  /** Both sides, and whether each read back what it wrote. */
  readonly detail: { readonly [name: string]: number | string | boolean }
}

/** A way to do the job. Returns its rate (or cost), and false when its result could not be verified. */
export interface BenchVariant {
  run(): Promise<{ value: number; verified: boolean }>
}

export interface BenchRounds {
  readonly values: { readonly [name: string]: readonly number[] }
  readonly verified: { readonly [name: string]: boolean }
}

/** Runs all variants in turn, round after round, so that a busy neighbour slows them alike. */
export const interleave = async (
  variants: { readonly [name: string]: BenchVariant },
  rounds = 5,
): Promise<BenchRounds> => {
  const values: Record<string, number[]> = {}
  const verified: Record<string, boolean> = {}
  for (let round = 0; round < Math.max(5, rounds); round++) {
    for (const [name, variant] of Object.entries(variants)) {
      const outcome = await variant.run()
      values[name] = [...(values[name] ?? []), outcome.value]
      verified[name] = (verified[name] ?? true) && outcome.verified
    }
  }
  return { values, verified }
}

export const figure = (
  { values, verified }: BenchRounds,
  [ours, theirs]: readonly [string, string],
  about: Pick<BenchFigure, 'id' | 'what' | 'target' | 'better'>,
): BenchFigure => {
  const ratios = values[ours]!.map((value, round) => value / values[theirs]![round]!)
  return {
    ...about,
    ratio: rounded(median(ratios)),
    min: rounded(Math.min(...ratios)),
    max: rounded(Math.max(...ratios)),
    detail: {
      [ours]: Math.round(median(values[ours]!)),
      [theirs]: Math.round(median(values[theirs]!)),
      verified: Boolean(verified[ours] && verified[theirs]),
    },
  }
}

/** Prints a JSON line per figure. False when data was not read back as written: then the numbers mean nothing. */
export const print = (figures: readonly BenchFigure[]): boolean => {
  for (const one of figures) console.log(JSON.stringify(one))
  return figures.every(({ detail }) => detail.verified !== false)
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
const rounded = (value: number): number => Number(value.toPrecision(3))
