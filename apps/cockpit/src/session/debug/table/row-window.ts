// The rows of a long list that are on the screen. All rows have one height, so that their places follow from their numbers.

/** The height of a row in px, as in `debug.css`. */
export const ROW_PX = 26

/** Rows above and below those that are seen: a fast wheel shows no gap. */
const OVERSCAN_ROWS = 6

export interface RowWindow {
  readonly from: number
  /** Behind the last row. */
  readonly to: number
}

interface Scroll {
  readonly top: number
  readonly height: number
  readonly count: number
}

/** Whole steps: scrolling by a few pixels changes nothing that React would have to render. */
export const rowWindow = ({ top, height, count }: Scroll): RowWindow => {
  const seen = Math.ceil(height / ROW_PX) + 1
  const last = Math.max(0, count - 1)
  const first = Math.min(last, Math.max(0, Math.floor(top / ROW_PX)))
  const step = Math.floor(first / OVERSCAN_ROWS) * OVERSCAN_ROWS
  return { from: Math.max(0, step - OVERSCAN_ROWS), to: Math.min(count, step + seen + 2 * OVERSCAN_ROWS) }
}

/** Where to scroll so that a row is seen; null = it is. */
export const scrollTopFor = (place: number, { top, height }: Pick<Scroll, 'top' | 'height'>): number | null => {
  const rowTop = place * ROW_PX
  if (rowTop < top) return rowTop
  return rowTop + ROW_PX > top + height ? rowTop + ROW_PX - height : null
}
