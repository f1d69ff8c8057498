// The rows of a list. Without a filter they are the live ones; a filter, and every page after the first, is asked of the server,
// and asked again when the live lists change. The rows of before stay on screen meanwhile.
import type { FabricClient, SessionFilter, SessionRow } from 'bridle/client'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { LiveState } from '../../server/live-store.ts'
import { useLive, useServer } from '../../server/server-context.tsx'
import { mergedRows, orderedRows, rowKey } from './row-order.ts'

/** Sessions of one request: a screen shows thirty, and a list of a hundred rows is drawn in one frame. */
const PAGE_ROWS = 100
/** Pages that "Load more" reaches: beyond a thousand rows a search finds a session sooner than an eye. */
const PAGES_MAX = 10
/** Time after the last key before a search is sent. */
const SEARCH_PAUSE_MS = 150
/** Least time between two requests for a list that changes all the time. */
const REFRESH_MS = 500

export interface SessionList {
  readonly rows: readonly SessionRow[]
  readonly isLoaded: boolean
  readonly hasMore: boolean
  readonly error: Error | null
  /** Loads one more page. */
  readonly loadMore: () => void
}

interface LoadedPages {
  readonly key: string
  readonly rows: readonly SessionRow[]
  readonly hasMore: boolean
  readonly error: Error | null
}

const noPages: LoadedPages = { key: '', rows: [], hasMore: false, error: null }
const selectSessions = (state: LiveState): readonly SessionRow[] => state.sessions

/** `filter` is made when a request is sent, so that "since yesterday" moves with the time; `key` says which filter it is. */
export const useSessionList = (key: string, filter: (() => SessionFilter) | null): SessionList => {
  const { client } = useServer()
  const live = useLive(selectSessions)
  const isLive = useLive((state) => state.isLoaded)
  const liveHasMore = useLive((state) => state.hasMore)
  const [pages, setPages] = useState(1)
  const [loaded, setLoaded] = useState(noPages)
  const latest = useRef(filter)
  latest.current = filter

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins with its first page
  useEffect(() => setPages(1), [key])

  const isPlain = filter === null
  const isAsked = !isPlain || pages > 1
  const newest = useRef('')
  newest.current = `${key} ${pages}`
  const load = useCallback(async (): Promise<void> => {
    const asked = latest.current?.() ?? {}
    const result = await readPages(client, asked, pages).then(
      (found) => ({ ...found, error: null }),
      (error: Error) => ({ rows: [], hasMore: false, error }),
    )
    if (newest.current !== `${key} ${pages}`) return
    setLoaded((before) =>
      result.error && before.key === key ? { ...before, error: result.error } : { key, ...result },
    )
  }, [client, key, pages])
  useRefresh(isAsked ? load : null, live)

  const rows = useMemo(() => {
    const current = new Map(live.map((row) => [rowKey(row), row]))
    const asked = isAsked ? loaded.rows.map((row) => current.get(rowKey(row)) ?? row) : []
    return orderedRows(mergedRows(isPlain ? live.filter(({ archived }) => !archived) : [], asked))
  }, [live, loaded, isAsked, isPlain])
  return {
    rows,
    isLoaded: isPlain ? isLive : loaded.key !== '',
    hasMore: (isAsked && loaded.key === key ? loaded.hasMore : liveHasMore) && pages < PAGES_MAX,
    error: loaded.error,
    loadMore: useCallback(() => setPages((count) => count + 1), []),
  }
}

const readPages = async (
  client: FabricClient,
  filter: SessionFilter,
  pages: number,
): Promise<{ rows: readonly SessionRow[]; hasMore: boolean }> => {
  const rows: SessionRow[] = []
  let cursor: string | undefined
  // A page that is not full is not always the last one: the server may have read enough for one request.
  while (rows.length < pages * PAGE_ROWS) {
    const { sessions, next } = await client.sessions({
      ...filter,
      limit: PAGE_ROWS,
      ...(cursor !== undefined && { cursor }),
    })
    rows.push(...sessions)
    cursor = next
    if (next === undefined) break
  }
  return { rows, hasMore: cursor !== undefined }
}

/** Loads when `load` changes, and again when the live lists change, never more often than they can be read. */
const useRefresh = (load: (() => Promise<void>) | null, mark: unknown): void => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const loadedAt = useRef(0)
  const lastLoad = useRef<typeof load>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `mark` asks again
  useEffect(() => {
    if (!load) return
    const isNew = lastLoad.current !== load
    lastLoad.current = load
    const waitMs = isNew ? SEARCH_PAUSE_MS : Math.max(0, loadedAt.current + REFRESH_MS - Date.now())
    // A list that changes without end is still refreshed: a later change does not move a refresh that is planned.
    if (!isNew && timer.current !== undefined) return
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      timer.current = undefined
      loadedAt.current = Date.now()
      void load()
    }, waitMs)
  }, [load, mark])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
      lastLoad.current = null
    },
    [],
  )
}
