// The past of the session on the page: everything below shows the event that the address names, or the present.
import type { History, SessionAt } from 'bridle/history'
import {
  type ReactNode,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react'
import { ReadOnlyContext } from '../../server/use-can.ts'
import { MomentContext } from '../../ui/use-now.ts'
import { type OpenSession, SessionContext, useSession } from '../session-context.tsx'
import { usePlayback } from './bar/use-playback.ts'
import { cursorProblem, cursorText, parseCursor } from './log/cursor.ts'
import { liveOverview } from './log/log-overview.ts'
import type { LogState, PastLog } from './log/past-log.ts'
import { PastContext, type PastControls } from './past-context.ts'
import { PastConversation } from './past-conversation.ts'
import { useCursor } from './use-cursor.ts'
import { usePaced } from './use-paced.ts'

/** Time between two looks for events that came meanwhile. */
const FOLLOW_MS = 1_000
/** Time between two renderings of the page while the cursor is dragged: each may take longer than a frame, and the cursor must not wait. */
const PAGE_PACE_MS = 150

interface PastProviderProps {
  readonly log: PastLog
  /** The session comes from a file: there is no present, and nothing can be branched. */
  readonly isReplay?: boolean
  readonly children: ReactNode
}

export const PastProvider = ({ log: source, isReplay = false, children }: PastProviderProps) => {
  const live = useSession()
  const state = useSyncExternalStore(source.subscribe, source.getSnapshot)
  const controls = usePastControls(live, source, state, isReplay)
  const { isPast, isLoading, isPlaying, seq, head } = controls
  const history = state.log?.history
  // The cursor moves at once, and the page follows at its pace: events that were passed meanwhile are left out.
  const shown = useDeferredValue(usePaced(isPast ? seq : null, isPlaying ? 0 : PAGE_PACE_MS))
  const moment = useMemo(
    () => (isPast && shown !== null && history?.entry(shown) ? history.at(shown) : null),
    [isPast, history, shown],
  )
  const session = usePastSession(live, history, moment, head)
  const part = useMemo(
    () => ({
      why: isReplay
        ? 'This is a replay of a file: nothing can be changed.'
        : isLoading
          ? 'The page loads its past: go back to live to act.'
          : `The page shows event ${seq}: go back to live to act.`,
      canBranch: !isReplay && !isLoading,
    }),
    [isReplay, isLoading, seq],
  )
  // From the first frame on: nobody must act on the present who asked for the past.
  const isReadOnly = session !== null || isPast || isLoading || isReplay
  return (
    <PastContext value={controls}>
      <SessionContext value={session ?? live}>
        <ReadOnlyContext value={isReadOnly ? part : null}>
          <MomentContext value={moment?.time ?? null}>{children}</MomentContext>
        </ReadOnlyContext>
      </SessionContext>
    </PastContext>
  )
}

const usePastControls = (live: OpenSession, source: PastLog, state: LogState, isReplay: boolean): PastControls => {
  const { log, error } = state
  const { text, move } = useCursor()
  const { events } = live
  const head = Math.max(log?.head ?? 0, events.seq, live.harness.connection.lastSeq ?? 0)
  const first = log?.history.first ?? 1
  const incarnation = log?.incarnation ?? events.incarnation
  const isWanted = text !== null
  useEffect(() => {
    if (isWanted) void source.load()
  }, [isWanted, source])
  useFollow(live, source)
  const wanted = text === null ? (isReplay ? head : null) : (parseCursor(text)?.seq ?? null)
  const misfit = text !== null && log ? cursorProblem(text, { first, head, incarnation }) : null
  const isPast = wanted !== null && misfit === null && log !== null && wanted <= log.loaded
  const seq = isPast ? wanted : head
  const typeOf = useCallback((at: number) => log?.history.entry(at)?.type, [log])
  const show = useCallback(
    (to: number) => {
      const within = Math.min(head, Math.max(first, to))
      // The last event of a session is its present, which goes on.
      move(within === head && !isReplay ? null : cursorText({ seq: within, incarnation }))
    },
    [first, head, incarnation, isReplay, move],
  )
  const { isPlaying, start, stop } = usePlayback({ seq: isPast ? seq : first, head, typeOf, show })
  const leave = useCallback(() => {
    stop()
    move(null)
  }, [stop, move])
  const moveTo = useCallback(
    (to: number) => {
      stop()
      show(to)
    },
    [stop, show],
  )
  const togglePlay = useCallback(() => {
    if (isPlaying) return stop()
    // At its end there is nothing left to play: it plays from the beginning.
    if (seq >= head) show(first)
    start()
  }, [isPlaying, stop, start, seq, head, show, first])
  const known = log?.overview
  // biome-ignore lint/correctness/useExhaustiveDependencies: the overview of the log grows in place
  const overview = useMemo(
    () =>
      known
        ? { first: known.first, head: known.head, weights: known.weights.slice(), marks: known.marks.slice() }
        : liveOverview(events, events.seq),
    [known, log?.loaded, known ? null : events],
  )
  return {
    overview,
    log,
    head,
    seq,
    isPast,
    isReplay,
    isLoading: isWanted && !isPast && misfit === null && error === null,
    problem: misfit ?? (isWanted && !isPast && error ? `The log could not be loaded: ${error.message}` : null),
    canRetry: misfit === null,
    moveTo,
    leave,
    prepare: source.load,
    retry: source.reload,
    isPlaying,
    togglePlay,
  }
}

/** A log that is here grows with its session. */
const useFollow = ({ events, harness }: OpenSession, source: PastLog): void => {
  const seq = useRef(events.seq)
  seq.current = events.seq
  useEffect(() => {
    const timer = setInterval(() => {
      const { log, error } = source.getSnapshot()
      const newest = Math.max(seq.current, harness.connection.lastSeq ?? 0)
      if (log && !error && newest > log.loaded) void source.load()
    }, FOLLOW_MS)
    return () => clearInterval(timer)
  }, [harness, source])
}

/** Null while the page is live. */
const usePastSession = (
  live: OpenSession,
  history: History | undefined,
  moment: SessionAt | null,
  head: number,
): OpenSession | null => {
  const kept = useRef<PastConversation | null>(null)
  if (moment) kept.current ??= new PastConversation(moment.conversation, moment.seq)
  const conversation = kept.current
  useLayoutEffect(() => {
    if (moment) kept.current?.show(moment.conversation, moment.seq)
    else kept.current = null
  }, [moment])
  const { id, agent } = live
  const entry = moment && history?.entry(moment.seq)
  return useMemo(() => {
    if (!moment || !conversation || !entry) return null
    const { seq, session: detail, events } = moment
    return { id, agent, harness: conversation, detail, reload: doNothing, events, past: { seq, head, entry } }
  }, [id, agent, moment, conversation, entry, head])
}

const doNothing = (): void => {}
