// The log of the session of the page, loaded and followed, as rows.
import { useEffect, useMemo, useReducer, useRef, useState } from 'react'
import { useServer } from '../../../server/server-context.tsx'
import { useLoaded } from '../../../server/use-loaded.ts'
import { usePast } from '../../past/past-context.ts'
import { useSession } from '../../session-context.tsx'
import { type EntryFilter, type EntryTiers, entryTest } from './entry-filter.ts'
import { EntryLog } from './entry-log.ts'
import { historyPager, type LogPager, type LogProgress, loadLog, loadNews } from './load-log.ts'
import { RowList } from './row-list.ts'
import { inSlices } from './time-slices.ts'

/** News is read so often at most, and once more after this wait: some events change nothing that a page hears of. */
const FOLLOW_MS = 250
const LAST_LOOK_MS = 1_500

export interface LoadedLog {
  readonly log: EntryLog
  readonly progress: LogProgress
  readonly error: Error | null
  /** Counts up with every change of the log. */
  readonly version: number
}

const NO_TIERS: EntryTiers = new Map()

export const useTiers = (): EntryTiers => {
  const { client } = useServer()
  const { data } = useLoaded('stream events', () => client.streamEvents())
  return useMemo(() => (data ? new Map(data.events.map(({ type, tier }) => [type, tier])) : NO_TIERS), [data])
}

export const useEntryLog = (isFollowing: boolean): LoadedLog => {
  const { client } = useServer()
  const { id, agent, harness, events } = useSession()
  const [version, changed] = useReducer((count: number) => count + 1, 0)
  const [progress, setProgress] = useState<LogProgress>('loading')
  const [error, setError] = useState<Error | null>(null)
  // A session that comes from a file has its log there.
  const { isReplay, log: past } = usePast()
  const file = isReplay ? (past?.history ?? null) : null
  const pager = useMemo<LogPager>(
    () => (file ? historyPager(file) : (after, limit) => client.log(id, { agent, after, limit, content: 'none' })),
    [client, id, agent, file],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has another log
  const log = useMemo(() => new EntryLog(), [pager])
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    let isOver = false
    const onPage = (now: LogProgress): void => {
      if (isOver) return
      setProgress(now)
      setReady(true)
      changed()
    }
    loadLog(pager, log, onPage, () => isOver).catch((cause: Error) => !isOver && setError(cause))
    return () => {
      isOver = true
      setReady(false)
    }
  }, [pager, log])

  // Events and deltas say that there is news; the news itself is read from the log.
  const read = useRef<() => void>(() => {})
  useEffect(() => {
    if (!isFollowing || !isReady) return
    let isOver = false
    let isReading = false
    let soon: ReturnType<typeof setTimeout> | undefined
    let later: ReturnType<typeof setTimeout> | undefined
    const look = async (): Promise<void> => {
      soon = undefined
      if (isReading || isOver) return
      isReading = true
      const { head } = log
      try {
        await loadNews(pager, log)
        setError(null)
      } catch (cause) {
        setError(cause as Error)
      }
      isReading = false
      if (!isOver && log.isCut) setProgress('cut')
      if (!isOver && log.head !== head) changed()
    }
    read.current = () => {
      soon ??= setTimeout(() => void look(), FOLLOW_MS)
      clearTimeout(later)
      later = setTimeout(() => void look(), LAST_LOOK_MS)
    }
    read.current()
    const unsubscribe = harness.subscribe(() => read.current())
    return () => {
      isOver = true
      read.current = () => {}
      clearTimeout(soon)
      clearTimeout(later)
      unsubscribe()
    }
  }, [isFollowing, isReady, pager, log, harness])
  // biome-ignore lint/correctness/useExhaustiveDependencies: every event is news
  useEffect(() => read.current(), [events])
  return { log, progress, error, version }
}

export interface LogRows {
  readonly rows: RowList
  /** Counts up with every slice. */
  readonly version: number
  readonly isSearching: boolean
}

export const useLogRows = (loaded: LoadedLog, filter: EntryFilter, tiers: EntryTiers, last: number | null): LogRows => {
  const { log, version: logVersion, progress } = loaded
  // The tool of a call is known once its first entry is there.
  const isWhole = filter.tool === '' || progress !== 'loading'
  // biome-ignore lint/correctness/useExhaustiveDependencies: a filter by tool is asked again when all is there
  const rows = useMemo(
    () => new RowList(log, entryTest(filter, tiers, log.facets), last ?? undefined),
    [log, filter, tiers, last, isWhole],
  )
  const [state, setState] = useState({ version: 0, isSearching: true })
  // biome-ignore lint/correctness/useExhaustiveDependencies: new entries are new work
  useEffect(
    () =>
      inSlices(
        (isOver) => rows.work(isOver),
        (isDone) => setState(({ version }) => ({ version: version + 1, isSearching: !isDone })),
      ),
    [rows, logVersion],
  )
  return { rows, ...state }
}
