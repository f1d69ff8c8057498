// The keys of the list. The row with the focus is the current one: Enter opens it because its title is a link.
import { useAction } from '../../actions/use-action.ts'

export interface ListKeys {
  /** Null = this person may not start one. */
  readonly onNew: (() => void) | null
  readonly onSelect: (key: string, isRange: boolean) => void
  readonly onClear: () => void
  /** Returns true where there was something to undo. */
  readonly onUndo: () => boolean
}

const links = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row-link]')]

const currentRow = (): HTMLElement | null => document.activeElement?.closest<HTMLElement>('[data-row]') ?? null

const move = (by: number): void => {
  const all = links()
  const row = currentRow()
  const at = all.findIndex((link) => row?.contains(link))
  all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]?.focus()
}

export const useListKeys = ({ onNew, onSelect, onClear, onUndo }: ListKeys): void => {
  const select = (isRange: boolean): void => {
    const key = currentRow()?.dataset.row
    if (key !== undefined) onSelect(key, isRange)
  }
  useAction('list.next', () => move(1))
  useAction('list.previous', () => move(-1))
  useAction('list.open', () => currentRow()?.querySelector<HTMLElement>('[data-row-link]')?.click())
  useAction('list.select', () => select(false))
  useAction('list.select_to', () => select(true))
  useAction('list.clear', onClear)
  useAction('list.undo', onUndo)
  useAction('session.new', onNew)
  useAction('search.focus', () => document.getElementById('session-search')?.focus())
}
