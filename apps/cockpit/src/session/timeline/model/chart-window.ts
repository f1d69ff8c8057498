// The part of the axis that the chart shows, from 0 to 1.

/** The smallest part of the axis that can be shown: a session of days is then minutes wide. */
const WINDOW_MIN = 0.001

export interface ChartWindow {
  readonly from: number
  readonly to: number
}

export const wholeWindow: ChartWindow = { from: 0, to: 1 }

export const windowWidth = ({ from, to }: ChartWindow): number => to - from

/** Zooms by a factor, and leaves the place under the pointer where it is. `around` is a place in the window, from 0 to 1. */
export const zoomedWindow = (window: ChartWindow, factor: number, around = 0.5): ChartWindow => {
  const width = windowWidth(window)
  const next = Math.min(1, Math.max(WINDOW_MIN, width / factor))
  if (next === 1) return wholeWindow
  return placedWindow(window.from + width * around - next * around, next)
}

/** Moves the window by a part of the axis, and keeps its width. */
export const movedWindow = (window: ChartWindow, by: number): ChartWindow =>
  placedWindow(window.from + by, windowWidth(window))

/** The window between two places of the axis, in either order. */
export const windowBetween = (one: number, other: number): ChartWindow => {
  const [from, to] = [Math.max(0, Math.min(one, other)), Math.min(1, Math.max(one, other))]
  return to - from < WINDOW_MIN ? placedWindow(from, WINDOW_MIN) : { from, to }
}

const placedWindow = (from: number, width: number): ChartWindow => {
  const begin = Math.max(0, Math.min(1 - width, from))
  return { from: begin, to: begin + width }
}

/** The place of something in the window; below 0 or above 1 where it is not in it. */
export const placeInWindow = ({ from, to }: ChartWindow, at: number): number => (at - from) / (to - from)
