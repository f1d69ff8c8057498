// The part of the rows that can be seen, with some room around it.
import { type RefObject, useCallback, useEffect, useState } from 'react'

/** Rows beyond the edges of the window that are drawn: a scroll shows no empty place before the next frame. */
const OVERSCAN_PX = 320

export interface VisibleRange {
  readonly from: number
  readonly to: number
}

/** `scroll` is the box that scrolls, `rows` the tall one in it. */
export const useVisibleRange = (
  scroll: RefObject<HTMLDivElement | null>,
  rows: RefObject<HTMLDivElement | null>,
): VisibleRange => {
  const [range, setRange] = useState<VisibleRange>({ from: 0, to: 2 * OVERSCAN_PX })
  const measure = useCallback(() => {
    const [outer, inner] = [scroll.current, rows.current]
    if (!outer || !inner) return
    const top = outer.scrollTop - inner.offsetTop
    // Steps of half the room: a scroll of a few pixels renders nothing.
    const step = OVERSCAN_PX / 2
    const from = Math.floor(top / step) * step - OVERSCAN_PX
    const to = Math.ceil((top + outer.clientHeight) / step) * step + OVERSCAN_PX
    setRange((before) => (before.from === from && before.to === to ? before : { from, to }))
  }, [scroll, rows])
  useEffect(() => {
    const outer = scroll.current
    if (!outer) return
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(outer)
    outer.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      outer.removeEventListener('scroll', measure)
    }
  }, [scroll, measure])
  return range
}
