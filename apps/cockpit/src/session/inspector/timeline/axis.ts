// The time axis of the calls. Stretches without a call are folded: an agent thinks, or waits for people, far longer than its
// tools run, and bars would be too small to see.

/** A wait for people has at least this room on the axis, or it could not be seen. */
const WAIT_MS_MIN = 1_000
/** A wait for people takes this part of the axis at most: it would dwarf what tools do. */
const WAIT_PART = 0.15
/** A gap takes this part of the time with calls, at most: it can be seen, and takes little room. */
const GAP_PART = 0.03
/** A gap is folded, and says so, from so many times its room on: below that the axis tells no other story than a clock. */
const FOLD_FACTOR = 2
/** An axis has few words: its column is narrow. */
const TICKS_MAX = 3

export interface Span {
  /** In ms since 1970. */
  readonly from: number
  readonly to: number
}

/** The spans of calls. Those that wait are open to the present moment, and are cut. */
export const callSpans = (
  calls: readonly { readonly beganAt: number; readonly endedAt: number | null; readonly status: string }[],
  now: number,
): readonly Span[] => {
  const spans = calls.map(({ beganAt, endedAt, status }) => ({
    from: beganAt,
    to: endedAt ?? Math.max(now, beganAt),
    isWait: status === 'waiting',
  }))
  const busyMs = sumMs(joined(spans.filter(({ isWait }) => !isWait)))
  const waitMs = Math.max(busyMs * WAIT_PART, WAIT_MS_MIN)
  return spans.map(({ from, to, isWait }) => ({ from, to: isWait ? Math.min(to, from + waitMs) : to }))
}

export interface Axis {
  /** The place of a moment, from 0 to 1. */
  readonly at: (time: number) => number
  /** The length of the axis in ms, with gaps folded. */
  readonly lengthMs: number
  readonly ticks: readonly Tick[]
  /** The stretches that have less room than their time. */
  readonly folds: readonly Fold[]
}

export interface Tick {
  readonly at: number
  readonly ms: number
}

/** A stretch without a call, in the middle of its room on the axis. */
export interface Fold extends Span {
  readonly at: number
}

const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000,
]

export const foldedAxis = (spans: readonly Span[]): Axis => {
  const stretches = joined(spans)
  const gapMs = Math.max(sumMs(stretches) * GAP_PART, 1)
  const starts: number[] = []
  const gaps: (Span & { readonly middle: number })[] = []
  let lengthMs = 0
  for (const [index, { from, to }] of stretches.entries()) {
    const before = stretches[index - 1]
    if (before) {
      const shown = Math.min(from - before.to, gapMs)
      if (from - before.to > gapMs * FOLD_FACTOR) gaps.push({ from: before.to, to: from, middle: lengthMs + shown / 2 })
      lengthMs += shown
    }
    starts.push(lengthMs)
    lengthMs += to - from
  }
  const length = Math.max(lengthMs, 1)
  const at = (time: number): number => {
    const index = lastBegun(stretches, time)
    const stretch = stretches[index]
    if (!stretch) return 0
    const passed = time - stretch.from
    const whole = stretch.to - stretch.from
    const shown = passed <= whole ? passed : whole + Math.min(passed - whole, gapMs)
    return Math.min(1, ((starts[index] ?? 0) + shown) / length)
  }
  const folds = gaps.map(({ from, to, middle }) => ({ from, to, at: middle / length }))
  return { at, lengthMs, ticks: ticksOf(length, TICKS_MAX), folds }
}

/** The axis of a clock: nothing is folded. */
export const clockAxis = ({ from, to }: Span): Axis => {
  const lengthMs = Math.max(to - from, 1)
  const at = (time: number): number => Math.min(1, Math.max(0, (time - from) / lengthMs))
  return { at, lengthMs, ticks: ticksOf(lengthMs, TICKS_MAX), folds: [] }
}

/** The index of the last stretch that has begun; there may be thousands. */
const lastBegun = (stretches: readonly Span[], time: number): number => {
  let low = 0
  let high = stretches.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((stretches[middle]?.from ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

export const sumMs = (stretches: readonly Span[]): number => stretches.reduce((sum, { from, to }) => sum + to - from, 0)

/** Spans that touch or overlap are one stretch. */
export const joined = (spans: readonly Span[]): readonly Span[] => {
  const stretches: Span[] = []
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = stretches.at(-1)
    if (last && span.from <= last.to)
      stretches[stretches.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else stretches.push(span)
  }
  return stretches
}

const ticksOf = (lengthMs: number, max: number): readonly Tick[] => ticksIn(lengthMs, { from: 0, to: 1 }, max)

/** The ticks of a part of an axis, at most so many and one more. Their places are those in the part. */
export const ticksIn = (
  lengthMs: number,
  part: { readonly from: number; readonly to: number },
  max: number,
): readonly Tick[] => {
  const shownMs = Math.max((part.to - part.from) * lengthMs, Number.EPSILON)
  const step = STEPS_MS.find((ms) => shownMs / ms <= max + 0.5) ?? shownMs / max
  const beginMs = part.from * lengthMs
  const first = Math.ceil(beginMs / step)
  const count = Math.floor((beginMs + shownMs) / step) - first
  return Array.from({ length: count + 1 }, (_, index) => {
    const ms = (first + index) * step
    return { at: (ms - beginMs) / shownMs, ms }
  })
}
