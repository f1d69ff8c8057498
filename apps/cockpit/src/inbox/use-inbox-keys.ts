// `j` and `k` move through the list; Enter on a row opens its card, and with the focus nowhere the card of the selected row.
import { useEffect, useRef } from 'react'
import { useAction } from '../actions/use-action.ts'

export const useInboxKeys = (onMove: (step: 1 | -1) => void, onOpen: () => void): void => {
  useAction('list.next', () => onMove(1))
  useAction('list.previous', () => onMove(-1))
  const latest = useRef(onOpen)
  latest.current = onOpen
  useEffect(() => {
    const open = ({ key, ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent): void => {
      if (key !== 'Enter' || ctrlKey || altKey || metaKey || shiftKey) return
      // An element with the focus has an answer of its own to Enter.
      if (document.activeElement === document.body) latest.current()
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
}
