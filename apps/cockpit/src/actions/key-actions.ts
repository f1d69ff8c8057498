import type { OfferedAction } from './action-store.ts'
import { ACTION_IDS, actionRow } from './action-table.ts'

interface KeyPlace {
  readonly isTyping: boolean
  /** A dialog is open: the page behind it takes no keys. */
  readonly isBehind: boolean
  /** An element has the focus, and with it Enter. */
  readonly isOnElement: boolean
}

/** The action for the pressed keys: the newest one that somebody offers. `before` is the key that was pressed last. */
export const keyAction = (
  offered: readonly OfferedAction[],
  key: string,
  before: string,
  { isTyping, isBehind, isOnElement }: KeyPlace,
): OfferedAction | undefined => {
  if (isBehind || (key === 'Enter' && isOnElement)) return undefined
  // `g` and then `d` never means `d` alone, also where nobody offers the two.
  const keys = ACTION_IDS.some((id) => actionRow(id).keys === `${before} ${key}`) ? `${before} ${key}` : key
  const usable = offered.filter(
    ({ id, isPageWide, keys: own = actionRow(id).keys }) =>
      own === keys &&
      (!isTyping || actionRow(id).scope === 'typing') &&
      (actionRow(id).scope !== 'part' || isPageWide === true),
  )
  // The table decides between several actions with these keys.
  for (const id of ACTION_IDS) {
    const offer = usable.findLast((each) => each.id === id)
    if (offer) return offer
  }
  return undefined
}
