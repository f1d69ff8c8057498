// The place of the page in its session's log, and the ways to move.
import { createContext, use } from 'react'
import type { LogOverview } from './log/log-overview.ts'
import type { LoadedLog } from './log/past-log.ts'

export interface PastControls {
  readonly overview: LogOverview
  /** The log, as far as it is here; null until somebody wants to see the past. */
  readonly log: LoadedLog | null
  /** The last event of the session. */
  readonly head: number
  /** The event that the cursor is at: the last one while the page is live. */
  readonly seq: number
  /** The page shows an event. */
  readonly isPast: boolean
  /** The page has no present: its session comes from a file. */
  readonly isReplay: boolean
  /** The wanted event is not here yet. */
  readonly isLoading: boolean
  /** The reason why the wanted event cannot be shown; null = it can. */
  readonly problem: string | null
  /** Loading failed: true where another try may help. */
  readonly canRetry: boolean
  readonly moveTo: (seq: number) => void
  /** Back to the present, or to the end of a file's log. */
  readonly leave: () => void
  /** Somebody is about to move: the log may come now. */
  readonly prepare: () => void
  readonly retry: () => void
  readonly isPlaying: boolean
  readonly togglePlay: () => void
}

export const PastContext = createContext<PastControls | null>(null)

export const usePast = (): PastControls => {
  const past = use(PastContext)
  if (!past) throw new Error('PastProvider is missing.')
  return past
}
