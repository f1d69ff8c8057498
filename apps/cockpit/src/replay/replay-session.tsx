// A session of a file: its log is folded, and the page of a session shows it.

import type { FabricClient } from 'bridle/client'
import type { ExportContent, History } from 'bridle/history'
import { type ReactNode, useEffect, useMemo, useSyncExternalStore } from 'react'
import { LiveStore } from '../server/live-store.ts'
import { ServerContext, useServer } from '../server/server-context.tsx'
import { LOG_PAGE } from '../session/past/live-past.tsx'
import { PastLog } from '../session/past/log/past-log.ts'
import { PastConversation } from '../session/past/past-conversation.ts'
import { PastProvider } from '../session/past/past-provider.tsx'
import { SessionBody } from '../session/session-body.tsx'
import { type OpenSession, SessionContext } from '../session/session-context.tsx'
import { ThreadProvider } from '../session/thread/thread-context.tsx'
import { TopBar } from '../shell/top-bar.tsx'
import { visibleText } from '../ui/plain-text.ts'
import { Screen } from '../ui/screen.tsx'
import { FileBar } from './file-bar.tsx'
import { lineageOf } from './lineage.ts'
import { replayClient } from './replay-client.ts'

interface ReplaySessionProps {
  readonly content: ExportContent
  readonly chosen: ExportContent['sessions'][number]
  readonly name: string
}

export const ReplaySession = ({ content, chosen, name }: ReplaySessionProps) => {
  const { session } = chosen
  const entries = useMemo(() => lineageOf(content, chosen), [content, chosen])
  const client = useMemo(() => replayClient(entries), [entries])
  const source = useMemo(() => logOf(chosen, entries), [chosen, entries])
  useEffect(() => source.open(), [source])
  useEffect(() => void source.load(), [source])
  const { log, error } = useSyncExternalStore(source.subscribe, source.getSnapshot)
  const bar = <FileBar content={content} chosen={chosen} name={name} />
  if (error || !log || log.loaded < log.head)
    return (
      <>
        <TopBar>
          <h1 className="trunc">{visibleText(session.id)}</h1>
        </TopBar>
        {bar}
        {error ? (
          <Screen icon="triangle-alert" title="The session cannot be shown">
            <p>{visibleText(error.message)}</p>
          </Screen>
        ) : (
          <Screen icon="history" title="Reading the log">
            <p className="num" role="status">
              {log?.loaded ?? 0} of {entries.length} events
            </p>
          </Screen>
        )}
      </>
    )
  return (
    <FileServer client={client}>
      <FileSession history={log.history}>
        <PastProvider log={source} isReplay>
          <ThreadProvider>
            <SessionBody place={bar} />
          </ThreadProvider>
        </PastProvider>
      </FileSession>
    </FileServer>
  )
}

const logOf = ({ session }: ReplaySessionProps['chosen'], entries: ReturnType<typeof lineageOf>): PastLog => {
  const first = entries[0]?.seq ?? 1
  const head = first + entries.length - 1
  const { id, agent, parent } = session
  return new PastLog(async (after) => ({
    session: { id, agent, ...(parent && { parent }) },
    entries: entries.slice(Math.max(0, after - first + 1), Math.max(0, after - first + 1) + LOG_PAGE),
    head,
    incarnation: 1,
  }))
}

/** Parts of the page that ask a server ask the file. */
const FileServer = ({ client, children }: { readonly client: FabricClient; readonly children: ReactNode }) => {
  const { options } = useServer()
  const server = useMemo(() => {
    const live = new LiveStore()
    live.update((state) => ({ ...state, phase: 'open', isLoaded: true }))
    return { client, options, live }
  }, [client, options])
  return <ServerContext value={server}>{children}</ServerContext>
}

/** The session at the end of its log, in place of a live one. */
const FileSession = ({ history, children }: { readonly history: History; readonly children: ReactNode }) => {
  const session = useMemo((): OpenSession => {
    const { seq, conversation, session: detail, events } = history.at(history.head)
    const { id, agent } = history.session
    return {
      ...{ id, agent, detail, events, past: null },
      harness: new PastConversation(conversation, seq),
      reload: () => {},
    }
  }, [history])
  return <SessionContext value={session}>{children}</SessionContext>
}
