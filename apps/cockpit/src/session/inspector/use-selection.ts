// The selection of the inspector stands in the address: the tab, the call, the event, and whether it takes the whole width.
import { useCallback } from 'react'
import { useLocation, useSearchParams } from 'wouter'

export const INSPECTOR_TABS = ['timeline', 'health', 'branches', 'context', 'work'] as const
export type InspectorTab = (typeof INSPECTOR_TABS)[number]

/** Null removes the name from the address. */
export interface SelectionChange {
  readonly tab?: InspectorTab
  readonly call?: string | null
  readonly event?: string | null
  readonly wide?: '1' | null
  /** The page beside the thread. */
  readonly view?: string | null
}

export interface Selection {
  readonly tab: InspectorTab
  readonly call: string | null
  /** The number of an event. */
  readonly event: number | null
  readonly isWide: boolean
  /** The address after a change, for a link. */
  readonly hrefOf: (change: SelectionChange) => string
  readonly select: (change: SelectionChange) => void
}

export const useSelection = (): Selection => {
  const [query, setQuery] = useSearchParams()
  const [path] = useLocation()
  const tab = query.get('tab')
  const event = Number(query.get('event') ?? Number.NaN)
  const select = useCallback(
    (change: SelectionChange) => setQuery((before) => changedQuery(before, change), { replace: true }),
    [setQuery],
  )
  return {
    tab: INSPECTOR_TABS.find((each) => each === tab) ?? 'timeline',
    call: query.get('call'),
    event: Number.isInteger(event) ? event : null,
    isWide: query.get('wide') === '1',
    hrefOf: (change) => `${path}?${changedQuery(query, change)}`,
    select,
  }
}

const changedQuery = (before: URLSearchParams, change: SelectionChange): URLSearchParams => {
  const query = new URLSearchParams(before)
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === undefined) query.delete(name)
    else query.set(name, value)
  }
  return query
}
