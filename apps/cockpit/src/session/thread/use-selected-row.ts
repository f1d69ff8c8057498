// A call or an event that the address names is shown, once it is on the page.
import { useEffect, useRef } from 'react'
import { useSelection } from '../inspector/use-selection.ts'
import { useThreadIndex } from './thread-context.tsx'

/** Time that a row which was jumped to stays marked: long enough to find it. */
const POINTED_MS = 2_000

export const useSelectedRow = (): void => {
  const { call, event } = useSelection()
  const index = useThreadIndex()
  const shown = useRef('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row may come with a later event
  useEffect(() => {
    const wanted =
      call === null ? (event === null ? null : `[data-event="${event}"]`) : `[data-call="${CSS.escape(call)}"]`
    if (wanted === null || wanted === shown.current) return
    const row = [...document.querySelectorAll(`.thread ${wanted}`)].at(-1)
    if (!row) return
    shown.current = wanted
    row.scrollIntoView({ block: 'center' })
    row.classList.add('pointed')
    const timer = setTimeout(() => row.classList.remove('pointed'), POINTED_MS)
    return () => {
      clearTimeout(timer)
      row.classList.remove('pointed')
    }
  }, [call, event, index])
}
