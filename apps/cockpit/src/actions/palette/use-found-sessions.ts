// Sessions that the server finds: the page has only the newest.
import type { SessionRow } from 'bridle/client'
import { useEffect, useState } from 'react'
import { useLive, useServer } from '../../server/server-context.tsx'

/** The pause in typing after which the server is asked for sessions. */
const SEARCH_PAUSE_MS = 150
/** Sessions that the server is asked for: a group shows fewer. */
const FOUND_SESSIONS = 20

/** The page's sessions, and those that fit the query behind them. A null query asks nobody. */
export const useFoundSessions = (query: string | null): readonly SessionRow[] => {
  const { client } = useServer()
  const listed = useLive((state) => state.sessions)
  const hasMore = useLive((state) => state.hasMore)
  const [found, setFound] = useState<readonly SessionRow[]>([])
  const search = hasMore ? (query?.trim() ?? '') : ''
  useEffect(() => {
    if (search === '') return setFound([])
    let isOver = false
    const timer = setTimeout(() => {
      client.sessions({ search, limit: FOUND_SESSIONS }).then(
        ({ sessions }) => !isOver && setFound(sessions),
        // The sessions of the page are still found.
        () => undefined,
      )
    }, SEARCH_PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [client, search])
  const known = new Set(listed.map(({ id, agent }) => `${agent} ${id}`))
  return found.length === 0 ? listed : [...listed, ...found.filter(({ id, agent }) => !known.has(`${agent} ${id}`))]
}
