import { type RefObject, useEffect, useState } from 'react'

/** The lines of a box, as they are wrapped, that are below what it shows. Null = the box shows all of them and does not scroll. */
export const useLinesBelow = (box: RefObject<HTMLElement | null>): number | null => {
  const [lines, setLines] = useState<number | null>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const measure = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element
      const { lineHeight, paddingBottom } = getComputedStyle(element)
      const below = scrollHeight - scrollTop - clientHeight - Number.parseFloat(paddingBottom)
      setLines(scrollHeight - clientHeight <= 1 ? null : Math.max(0, Math.round(below / Number.parseFloat(lineHeight))))
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // The box keeps its height while its content grows.
    for (const child of element.children) observer.observe(child)
    element.addEventListener('scroll', measure, { passive: true })
    measure()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [box])
  return lines
}
