// The past of a session on the server: its log comes when somebody wants to see it.
import { type ReactNode, useEffect, useMemo } from 'react'
import { useServer } from '../../server/server-context.tsx'
import { useSession } from '../session-context.tsx'
import { PastLog } from './log/past-log.ts'
import { PastProvider } from './past-provider.tsx'

/** Events of one request for the log: some hundred kilobytes, which a browser reads within a few milliseconds. */
export const LOG_PAGE = 1_000

export const LivePast = ({ children }: { readonly children: ReactNode }) => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const log = useMemo(
    () => new PastLog((after) => client.log(id, { agent, after, limit: LOG_PAGE, content: 'none' })),
    [client, id, agent],
  )
  useEffect(() => log.open(), [log])
  return <PastProvider log={log}>{children}</PastProvider>
}
