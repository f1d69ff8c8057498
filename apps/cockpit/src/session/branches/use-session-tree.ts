// The tree of the session's branches, loaded again a little after one of them changes.
import type { SessionTree } from 'bridle/client'
import { useEffect, useRef } from 'react'
import { useLive, useServer } from '../../server/server-context.tsx'
import { type Loaded, useLoaded } from '../../server/use-loaded.ts'
import { RELOAD_MS, useSession } from '../session-context.tsx'

export const useSessionTree = (): Loaded<SessionTree> => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const loaded = useLoaded(`${id} ${agent}`, () => client.sessionTree(id, agent))
  const { data, reload } = loaded
  const ids = new Set(data?.sessions.map((session) => session.id))
  const changes = useLive(({ sessions }) =>
    sessions
      .filter((row) => ids.has(row.id) || ids.has(row.parent_session_id ?? ''))
      .map((row) => `${row.id} ${row.lastEventId} ${row.status}`)
      .join(),
  )
  const seen = useRef<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (data === null || seen.current === changes) return
    const isFirst = seen.current === null
    seen.current = changes
    if (isFirst) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      reload()
    }, RELOAD_MS)
  }, [changes, data, reload])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return loaded
}
