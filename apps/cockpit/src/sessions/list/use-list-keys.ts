// The keys of the list. The row with the focus is the current one: Enter opens it because its title is a link.
import { useEffect, useRef } from 'react'
import { isTyping } from '../../shell/use-shortcuts.ts'

export interface ListKeys {
  readonly onNew: () => void
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

export const useListKeys = (keys: ListKeys): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { onNew, onSelect, onClear, onUndo } = latest.current
      const isCheckbox = event.target instanceof HTMLInputElement && event.target.type === 'checkbox'
      if ((isTyping(event.target) && !isCheckbox) || document.querySelector('dialog[open]')) return
      if (event.key === 'z' && (event.ctrlKey || event.metaKey)) {
        if (onUndo()) event.preventDefault()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return
      const select = (isRange: boolean): void => {
        const key = currentRow()?.dataset.row
        if (key !== undefined) onSelect(key, isRange)
      }
      const act: (() => void) | undefined = {
        j: () => move(1),
        k: () => move(-1),
        x: () => select(false),
        X: () => select(true),
        n: onNew,
        '/': () => document.getElementById('session-search')?.focus(),
        Escape: onClear,
      }[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
