// Everything about the session of the page: its conversation over the socket, its events, and its detail. Where the page shows the past,
// all three are those of then (past/past-provider.tsx).
import { type ChatSession, type FrontendState, HarnessClient } from 'bridle/client'
import type { LogEntry } from 'bridle/history'
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react'
import { socketUrl } from '../server/address.ts'
import { isSameSession } from '../server/live-store.ts'
import { useLive, useServer } from '../server/server-context.tsx'
import { type Loaded, useLoaded } from '../server/use-loaded.ts'
import { TappedWebSocket } from './debug/wire/tapped-socket.ts'
import type { Conversation } from './past/past-conversation.ts'
import { useSessionEvents } from './use-session-events.ts'

/** The time between two loads of the detail while events come: a page that is read while tokens come needs no more. */
export const RELOAD_MS = 2_000

export interface OpenSession {
  readonly id: string
  readonly agent: string
  /** The conversation, and the commands. */
  readonly harness: Conversation
  /** The detail as of the last change that lists show. */
  readonly detail: ChatSession
  readonly reload: () => void
  /** The events of the session, folded: timeline, tools with their times, steps, usage. */
  readonly events: FrontendState
  /** The event that everything here is as of; null while the page is live. */
  readonly past: PastEvent | null
}

/** The event of the log that a page shows, and the end of the log. */
export interface PastEvent {
  readonly seq: number
  readonly head: number
  readonly entry: LogEntry
}

export const SessionContext = createContext<OpenSession | null>(null)

export const useSession = (): OpenSession => {
  const session = use(SessionContext)
  if (!session) throw new Error('SessionProvider is missing.')
  return session
}

interface SessionProviderProps {
  readonly id: string
  /** Undefined = the oldest session of this id. */
  readonly agent: string | undefined
  /** Shown until the detail is there, or where it cannot be had. */
  readonly fallback: (loaded: Loaded<ChatSession>) => ReactNode
  readonly children: ReactNode
}

export const SessionProvider = ({ id, agent, fallback, children }: SessionProviderProps) => {
  const { client } = useServer()
  const loaded = useLoaded(`${id} ${agent ?? ''}`, () => client.chat(id, agent))
  const { data, reload } = loaded
  useReloadOnChange(id, data, reload)
  if (!data) return fallback(loaded)
  return (
    <OpenSessionProvider key={data.agent} detail={data} reload={reload}>
      {children}
    </OpenSessionProvider>
  )
}

const OpenSessionProvider = ({
  detail,
  reload,
  children,
}: {
  readonly detail: ChatSession
  readonly reload: () => void
  readonly children: ReactNode
}) => {
  const { id, agent } = detail
  const harness = useHarnessClient(id, agent)
  const events = useSessionEvents(id, agent)
  const session = useMemo(
    () => harness && { id, agent, harness, detail, reload, events, past: null },
    [id, agent, harness, detail, reload, events],
  )
  return session && <SessionContext value={session}>{children}</SessionContext>
}

/** A socket that lives as long as the page: React's strict mode mounts twice, so it opens in an effect. */
const useHarnessClient = (id: string, agent: string): HarnessClient | null => {
  const { options } = useServer()
  const [harness, setHarness] = useState<HarnessClient | null>(null)
  useEffect(() => {
    const { authToken, tenantId } = options
    const opened = new HarnessClient({ url: socketUrl(id, agent), authToken, tenantId, WebSocket: TappedWebSocket })
    setHarness(opened)
    return () => opened.close()
  }, [id, agent, options])
  return harness
}

/** The lists say that the session changed. Its status and approvals are read at once, everything else every few seconds. */
const useReloadOnChange = (id: string, detail: ChatSession | null, reload: () => void): void => {
  const row = useLive(({ sessions }) => detail && sessions.find((session) => isSameSession(session, id, detail.agent)))
  const loaded = useRef(detail)
  loaded.current = detail
  // A session that is archived leaves the lists.
  const urgent = row ? `${row.status} ${row.pendingApprovals} ${row.archived ?? false}` : null
  useEffect(() => {
    const { current } = loaded
    if (current && urgent !== `${current.status} ${current.approvals.length} ${current.archived ?? false}`) reload()
  }, [urgent, reload])
  const last = row?.lastEventId
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (last === undefined || last === loaded.current?.lastEventId) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      reload()
    }, RELOAD_MS)
  }, [last, reload])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
