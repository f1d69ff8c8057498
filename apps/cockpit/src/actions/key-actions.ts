import type { OfferedAction } from './action-store.ts'
import { ACTION_IDS, type ActionId, actionRow } from './action-table.ts'

interface KeyPlace {
  readonly isTyping: boolean
  /** A dialog is open: the page behind it takes no keys. */
  readonly isBehind: boolean
}

/** The action for the pressed keys: the newest one that somebody offers. `before` is the key that was pressed last. */
export const keyAction = (
  offered: readonly OfferedAction[],
  key: string,
  before: string,
  { isTyping, isBehind }: KeyPlace,
): OfferedAction | undefined => {
  if (isBehind) return undefined
  // `g` and then `d` never means `d` alone, also where nobody offers the two.
  const pair = matching(`${before} ${key}`)
  const found = (pair.length > 0 ? pair : matching(key)).filter((id) => !isTyping || actionRow(id).scope === 'typing')
  for (const id of found) {
    const offer = offered.findLast((each) => each.id === id && (actionRow(id).scope !== 'part' || each.isPageWide))
    if (offer) return offer
  }
  return undefined
}

const matching = (keys: string): readonly ActionId[] => ACTION_IDS.filter((id) => actionRow(id).keys === keys)
