// The geometry of a small plot: where its points, its grid and its limits stand.

/** Points of a line: one with more points than pixels shows no more. */
export const PLOT_POINTS_MAX = 240
/** Plots below each other begin at the same place, unless a number beside the axis needs more. */
const AXIS_WIDTH_MIN = 33
/** The width of a digit in a plot, with some to spare. */
const DIGIT_WIDTH = 6.5

export interface PlotPoint {
  /** In ms since 1970. */
  readonly at: number
  readonly value: number
}

export interface PlotBox {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export interface PlotShape {
  /** The path of the line, and that of the area below it. */
  readonly line: string
  readonly area: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
  readonly grid: readonly { readonly y: number; readonly value: number }[]
  readonly y: (value: number) => number
}

/**
 * `stepped`: the value holds until the next point, as a score does. Otherwise the line goes straight from point to point. The last
 * value holds until `now`.
 */
export const plotShape = (
  points: readonly PlotPoint[],
  box: PlotBox,
  {
    min,
    max,
    until,
    isStepped,
  }: { readonly min: number; readonly max: number; readonly until: number; readonly isStepped: boolean },
): PlotShape => {
  const thin = thinned(points)
  const from = thin[0]?.at ?? until
  const span = Math.max(until - from, 1)
  const range = max - min || 1
  const x = (at: number): number => round(box.left + ((at - from) / span) * (box.right - box.left))
  const y = (value: number): number => round(box.bottom - ((value - min) / range) * (box.bottom - box.top))
  const places = thin.map(({ at, value }) => ({ x: x(at), y: y(value) }))
  const last = places.at(-1)
  const path = places
    .map((place, index) => {
      if (index === 0) return `M${place.x} ${place.y}`
      return isStepped ? `H${place.x}V${place.y}` : `L${place.x} ${place.y}`
    })
    .join('')
  const line = last ? `${path}H${box.right}` : ''
  return {
    line,
    area: last ? `${line}V${box.bottom}H${places[0]?.x ?? box.left}Z` : '',
    points: places,
    grid: gridValues(min, max).map((value) => ({ value, y: y(value) })),
    y,
  }
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Evenly, with the first and the last. */
const thinned = (points: readonly PlotPoint[]): readonly PlotPoint[] => {
  if (points.length <= PLOT_POINTS_MAX) return points
  const step = (points.length - 1) / (PLOT_POINTS_MAX - 1)
  return Array.from({ length: PLOT_POINTS_MAX }, (_, index) => points[Math.round(index * step)] as PlotPoint)
}

/** The room for the numbers beside the axis: a small cost has many digits. */
export const axisWidth = (min: number, max: number, text: (value: number) => string): number =>
  Math.max(
    AXIS_WIDTH_MIN,
    Math.ceil(Math.max(...gridValues(min, max).map((value) => text(value).length)) * DIGIT_WIDTH),
  )

const gridValues = (min: number, max: number): readonly number[] => [min, (min + max) / 2, max]

/** A round number at or above the value, for the top of an axis: 1, 2 or 5 and zeros. */
export const niceTop = (value: number): number => {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((digit) => digit * power >= value) ?? 10) * power
}
