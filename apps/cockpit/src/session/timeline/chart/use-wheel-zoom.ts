// The wheel with Ctrl zooms around the pointer. React's own wheel events cannot keep the browser from zooming the page.
import { type RefObject, useEffect } from 'react'
import { zoomedWindow } from '../model/chart-window.ts'
import { useChart } from './chart-context.tsx'

/** A step of the zoom, by a key or a turn of the wheel. */
export const ZOOM_STEP = 1.5

export const useWheelZoom = (box: RefObject<HTMLDivElement | null>, track: RefObject<HTMLDivElement | null>): void => {
  const { setWindow } = useChart()
  useEffect(() => {
    const element = box.current
    if (!element) return
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const { left = 0, width = 1 } = track.current?.getBoundingClientRect() ?? {}
      const around = Math.min(1, Math.max(0, (event.clientX - left) / Math.max(width, 1)))
      // A touchpad sends many small turns, a wheel one large one.
      const factor = ZOOM_STEP ** Math.max(-1, Math.min(1, -event.deltaY / 100))
      setWindow((before) => zoomedWindow(before, factor, around))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [box, track, setWindow])
}
