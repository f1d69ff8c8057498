// Whether a person has seen the end of everything that they are about to approve. Each block of it ends with a mark (`end-mark.tsx`); the
// whole has been read once every mark has been on the screen.
import { createContext, useEffect, useMemo, useRef, useState } from 'react'

/** How often a card looks whether the end of its text is on the screen: soon after a person has scrolled there. */
const READING_LOOK_MS = 200

export interface EndOfBlock {
  /** The name and the text of the block: the same block that is shown again has been read. */
  readonly key: string
  readonly element: HTMLElement
  /** The block shows a part of its text: its end cannot be seen. */
  readonly isCut: boolean
  /** A field that scrolls in front of the mark. */
  readonly field: HTMLElement | null
}

interface Reading {
  /** Returns the function that takes the mark away. */
  readonly add: (end: EndOfBlock) => () => void
}

/** Null outside a card that waits for an answer. */
export const ReadingContext = createContext<Reading | null>(null)

/** `text` = what has to be read, as a key: another text has to be read again. Null = nothing has to be read. */
export const useReading = (text: string | null) => {
  const [readText, setReadText] = useState<string | null>(null)
  const isRead = text === null || readText === text
  const ends = useRef(new Set<EndOfBlock>())
  const seen = useRef(new Set<string>())
  const reading = useMemo(
    (): Reading => ({
      add: (end) => {
        ends.current.add(end)
        return () => void ends.current.delete(end)
      },
    }),
    [],
  )
  useEffect(() => {
    if (isRead) return
    const look = (): void => {
      if (document.visibilityState !== 'visible') return
      const unseen = [...ends.current].filter((end) => !isSeen(end, seen.current))
      for (const end of unseen) if (!end.isCut && isOnScreen(end)) seen.current.add(end.key)
      // Without marks the arguments are still loading.
      if (ends.current.size > 0 && unseen.every((end) => isSeen(end, seen.current))) setReadText(text)
    }
    const timer = setInterval(look, READING_LOOK_MS)
    look()
    return () => clearInterval(timer)
  }, [isRead, text])

  const showUnread = (): void => {
    const end = [...ends.current].find((each) => !isSeen(each, seen.current))
    if (!end) return
    const box = end.element.closest<HTMLElement>('.long-box')
    ;(box ?? end.element).scrollIntoView({ block: 'center' })
    const target = end.field ?? box?.querySelector<HTMLElement>('.scroll') ?? end.element.closest('article')
    target?.focus({ preventScroll: true })
  }
  return { isRead, reading, showUnread }
}

const isSeen = ({ key, isCut }: EndOfBlock, seen: ReadonlySet<string>): boolean => !isCut && seen.has(key)

/**
 * The mark itself is at its place on the screen: not scrolled away in its block or on the page, and not below a sticky bar or a dialog. An
 * IntersectionObserver does not know what covers an element.
 */
const isOnScreen = ({ element, field }: EndOfBlock): boolean => {
  if (field && field.scrollTop + field.clientHeight < field.scrollHeight - 2) return false
  const { left, top, width, height } = element.getBoundingClientRect()
  return document.elementFromPoint(left + width / 2, top + height / 2) === element
}
