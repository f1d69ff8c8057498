// The rows that are selected, by their keys. A selection of a range goes from the row that was selected last.

import type { SessionRow } from 'bridle/client'
import { useCallback, useMemo, useRef, useState } from 'react'
import { rowKey } from './row-order.ts'

export interface Selection {
  readonly keys: ReadonlySet<string>
  /** The selected rows that are still in the list, in its order. */
  readonly rows: readonly SessionRow[]
  readonly toggle: (key: string, isRange: boolean) => void
  readonly clear: () => void
}

export const useSelection = (rows: readonly SessionRow[]): Selection => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(nothing)
  const anchor = useRef<string | null>(null)
  const shown = useRef(rows)
  shown.current = rows
  const toggle = useCallback((key: string, isRange: boolean) => {
    const order = shown.current.map(rowKey)
    const from = anchor.current === null ? -1 : order.indexOf(anchor.current)
    const to = order.indexOf(key)
    anchor.current = key
    setKeys((before) => {
      const next = new Set(before)
      if (isRange && from >= 0)
        for (const each of order.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each)
      else if (!next.delete(key)) next.add(key)
      return next
    })
  }, [])
  const clear = useCallback(() => {
    anchor.current = null
    setKeys(nothing)
  }, [])
  return useMemo(
    () => ({ keys, rows: rows.filter((row) => keys.has(rowKey(row))), toggle, clear }),
    [keys, rows, toggle, clear],
  )
}

const nothing: ReadonlySet<string> = new Set()
