// The actions that can be done now. A part of a page offers an action while it can do it; the newest offer is the one that keys run.
import type { IconName } from '../ui/icon-names.ts'
import type { ActionId } from './action-table.ts'

export interface ActionOffer {
  readonly run: () => unknown
  /** More than the words of the table say: the event, the name of a call. */
  readonly detail?: string
  /** Words in place of those of the table. */
  readonly words?: string
  readonly icon?: IconName
  /** Keys of this offer, where several offers share an action. */
  readonly keys?: string
  /** Keys that otherwise a part of the page reads run this offer wherever nobody types. */
  readonly isPageWide?: boolean
}

export interface OfferedAction extends ActionOffer {
  readonly id: ActionId
}

let offered: readonly OfferedAction[] = []
const listeners = new Set<() => void>()

const set = (next: readonly OfferedAction[]): void => {
  offered = next
  for (const listener of listeners) listener()
}

/** Returns the function that takes the offers back. */
export const offerActions = (id: ActionId, offers: readonly ActionOffer[]): (() => void) => {
  const own = offers.map((offer) => ({ ...offer, id }))
  set([...offered, ...own])
  return () => set(offered.filter((each) => !own.includes(each)))
}

export const offeredActions = (): readonly OfferedAction[] => offered

export const subscribeActions = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Runs the newest offer of an action. False where nobody offers it. */
export const runAction = (id: ActionId): boolean => {
  const offer = offered.findLast((each) => each.id === id)
  offer?.run()
  return offer !== undefined
}
