import type { RefObject } from 'react'

/** Keys of the page must not answer a question that is out of sight: the first press shows it. `acts` are its buttons. */
export const whenInSight = (acts: RefObject<HTMLElement | null>, act: () => void) => (): void => {
  if (!acts.current || isInSight(acts.current)) return act()
  acts.current.scrollIntoView({ block: 'end' })
  acts.current.closest('article')?.focus({ preventScroll: true })
}

/** True where the thread shows all of the buttons. */
const isInSight = (acts: HTMLElement): boolean => {
  const own = acts.getBoundingClientRect()
  const around = acts.closest('.thread')?.getBoundingClientRect()
  return around === undefined || (own.top >= around.top && own.bottom <= around.bottom)
}
