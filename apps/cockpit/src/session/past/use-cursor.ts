// The cursor of the page. The address names it, so that a link shows the same moment to somebody else; while the cursor moves, the address
// follows behind.
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'

/** Time between two changes of the address while the cursor moves: browsers ignore a page that changes it all the time. */
const ADDRESS_MS = 400

export interface AddressCursor {
  /** As the address has it, or as it will; null = the page is live. */
  readonly text: string | null
  readonly move: (text: string | null) => void
}

export const useCursor = (): AddressCursor => {
  const [query, setQuery] = useSearchParams()
  const written = query.get('at')
  const [pending, setPending] = useState<{ readonly text: string | null } | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const next = useRef<string | null>(null)
  const write = useCallback(() => {
    timer.current = undefined
    const text = next.current
    setQuery(
      (before) => {
        const after = new URLSearchParams(before)
        if (text === null) after.delete('at')
        else after.set('at', text)
        return after
      },
      { replace: true },
    )
    setPending(null)
  }, [setQuery])
  const latestWrite = useRef(write)
  latestWrite.current = write
  const move = useCallback((text: string | null) => {
    next.current = text
    setPending({ text })
    if (text === null) {
      clearTimeout(timer.current)
      latestWrite.current()
    } else timer.current ??= setTimeout(() => latestWrite.current(), ADDRESS_MS)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return { text: pending ? pending.text : written, move }
}
