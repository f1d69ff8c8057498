// The time axis of the calls. Stretches without a call are folded: an agent thinks, or waits for people, far longer than its
// tools run, and bars would be too small to see.

export interface Span {
  /** In ms since 1970. */
  readonly from: number
  readonly to: number
}

/** A wait for people takes this part of the axis at most, and at least a second: it would dwarf what tools do. */
const WAIT_PART = 0.15
const WAIT_MS_MIN = 1_000

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
  const busyMs = joined(spans.filter(({ isWait }) => !isWait)).reduce((sum, { from, to }) => sum + to - from, 0)
  const waitMs = Math.max(busyMs * WAIT_PART, WAIT_MS_MIN)
  return spans.map(({ from, to, isWait }) => ({ from, to: isWait ? Math.min(to, from + waitMs) : to }))
}

export interface Axis {
  /** The place of a moment, from 0 to 1. */
  readonly at: (time: number) => number
  /** The length of the axis in ms, with gaps folded. */
  readonly lengthMs: number
  readonly ticks: readonly { readonly at: number; readonly ms: number }[]
}

/** A gap takes this part of the time with calls, at most: it can be seen, and takes little room. */
const GAP_PART = 0.03
/** An axis has few words: its column is narrow. */
const TICKS_MAX = 3
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000,
]

export const foldedAxis = (spans: readonly Span[]): Axis => {
  const stretches = joined(spans)
  const busyMs = stretches.reduce((sum, { from, to }) => sum + to - from, 0)
  const gapMs = Math.max(busyMs * GAP_PART, 1)
  const starts: number[] = []
  let lengthMs = 0
  for (const [index, { from, to }] of stretches.entries()) {
    const before = stretches[index - 1]
    if (before) lengthMs += Math.min(from - before.to, gapMs)
    starts.push(lengthMs)
    lengthMs += to - from
  }
  const length = Math.max(lengthMs, 1)
  const at = (time: number): number => {
    const index = stretches.findLastIndex(({ from }) => from <= time)
    const stretch = stretches[index]
    if (!stretch) return 0
    const passed = time - stretch.from
    const whole = stretch.to - stretch.from
    const shown = passed <= whole ? passed : whole + Math.min(passed - whole, gapMs)
    return Math.min(1, ((starts[index] ?? 0) + shown) / length)
  }
  return { at, lengthMs, ticks: ticksOf(length) }
}

/** Spans that touch or overlap are one stretch. */
const joined = (spans: readonly Span[]): readonly Span[] => {
  const stretches: Span[] = []
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = stretches.at(-1)
    if (last && span.from <= last.to)
      stretches[stretches.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    else stretches.push(span)
  }
  return stretches
}

const ticksOf = (lengthMs: number): Axis['ticks'] => {
  const step = STEPS_MS.find((ms) => lengthMs / ms <= TICKS_MAX + 0.5) ?? lengthMs / TICKS_MAX
  const count = Math.floor(lengthMs / step)
  return Array.from({ length: count + 1 }, (_, index) => ({ at: (index * step) / lengthMs, ms: index * step }))
}
