// `j` and `k` move through the list; Enter on a row opens its card. They are off while somebody types.
import { useEffect, useRef } from 'react'
import { isTyping } from '../shell/use-shortcuts.ts'

export const useInboxKeys = (onMove: (step: 1 | -1) => void): void => {
  const latest = useRef(onMove)
  latest.current = onMove
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      const step = ({ j: 1, k: -1 } as const)[event.key]
      if (step === undefined) return
      event.preventDefault()
      latest.current(step)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
