// The things that every part of the chart needs: where a moment stands in the window, and what is selected.
import { createContext, use } from 'react'
import type { ChartWindow } from '../model/chart-window.ts'

export interface ChartView {
  /** The place of a moment in the window, from 0 to 1 where it is in it. */
  readonly placeOf: (time: number) => number
  readonly now: number
  readonly window: ChartWindow
  readonly setWindow: (change: (before: ChartWindow) => ChartWindow) => void
  /** The number of the first event of the selected call, or that of the selected mark. */
  readonly selected: number | null
  /** The key of the row that the arrow keys have reached. */
  readonly active: string | null
}

const ChartContext = createContext<ChartView | null>(null)
export const ChartProvider = ChartContext

export const useChart = (): ChartView => {
  const view = use(ChartContext)
  if (!view) throw new Error('ChartProvider is missing.')
  return view
}

/** A length in the window as a style: cut at both edges, and nothing where it is not in sight. */
export const spanStyle = (from: number, to: number): { left: string; width: string } | null => {
  if (to < 0 || from > 1) return null
  const begin = Math.max(0, from)
  const end = Math.min(1, to)
  return { left: `min(${percent(begin)}, 100% - 3px)`, width: percent(end - begin) }
}

export const percent = (part: number): string => `${(part * 100).toFixed(3)}%`
