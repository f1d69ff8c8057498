// A drag over the chart moves its window. A finger scrolls instead.
import { type MouseEvent, type PointerEvent, type RefObject, useRef } from 'react'
import { movedWindow, windowWidth } from '../model/chart-window.ts'
import { useChart } from './chart-context.tsx'

/** Pixels that a pointer moves before a click becomes a drag. */
const DRAG_PX = 4

export const useDragPan = (track: RefObject<HTMLDivElement | null>) => {
  const { window, setWindow } = useChart()
  const drag = useRef<{ x: number; isDrag: boolean } | null>(null)
  /** The click that ends a drag selects nothing. */
  const swallows = useRef(false)
  return {
    onPointerDown: (event: PointerEvent): void => {
      swallows.current = false
      const isOverview = (event.target as Element).closest('.times-overview') !== null
      if (event.pointerType === 'touch' || event.button !== 0 || isOverview || windowWidth(window) === 1) return
      drag.current = { x: event.clientX, isDrag: false }
    },
    onPointerMove: (event: PointerEvent<HTMLDivElement>): void => {
      const { current } = drag
      if (!current) return
      if (event.buttons === 0) {
        drag.current = null
        return
      }
      const dx = event.clientX - current.x
      if (!current.isDrag && Math.abs(dx) < DRAG_PX) return
      if (!current.isDrag) event.currentTarget.setPointerCapture(event.pointerId)
      drag.current = { x: event.clientX, isDrag: true }
      const width = track.current?.offsetWidth ?? 1
      setWindow((before) => movedWindow(before, (-dx / width) * windowWidth(before)))
    },
    onPointerUp: (): void => {
      swallows.current = drag.current?.isDrag ?? false
      drag.current = null
    },
    onClickCapture: (event: MouseEvent): void => {
      if (!swallows.current) return
      swallows.current = false
      event.preventDefault()
      event.stopPropagation()
    },
  }
}
