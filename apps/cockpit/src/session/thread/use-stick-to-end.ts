// The scroll of a thread: it follows what comes while its reader is at the end, and is left alone everywhere else.
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** Within this many pixels of the end, the thread follows what comes. */
const END_PIXELS = 64

interface ThreadScroll {
  readonly viewport: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  readonly toEnd: () => void
}

export const useStickToEnd = (): ThreadScroll => {
  const viewport = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const sticks = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)
  const toEnd = useCallback(() => {
    const element = viewport.current
    if (!element) return
    sticks.current = true
    setAtEnd(true)
    element.scrollTop = element.scrollHeight
  }, [])
  useEffect(() => {
    const element = viewport.current
    if (!element || !content.current) return
    let lastTop = element.scrollTop
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element
      const isNear = scrollHeight - scrollTop - clientHeight <= END_PIXELS
      // Content that grew moves the end away without anybody's doing: only a scroll up lets go.
      if (isNear) sticks.current = true
      else if (scrollTop < lastTop - 1) sticks.current = false
      lastTop = scrollTop
      setAtEnd(sticks.current)
    }
    const follow = (): void => {
      if (!sticks.current) return
      element.scrollTop = element.scrollHeight
      lastTop = element.scrollTop
    }
    const observer = new ResizeObserver(follow)
    observer.observe(content.current)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    follow()
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [])
  return { viewport, content, isAtEnd, toEnd }
}
