import { AssistantRuntimeProvider } from '@assistant-ui/react'
import { useHarnessRuntime } from 'bridle/assistant-ui'
import { useCallback, useState } from 'react'
import { client, useSession } from './client.tsx'
import { Composer } from './composer.tsx'
import { Header } from './header.tsx'
import { Thread } from './thread.tsx'
import { Threads } from './threads.tsx'
import { Voice } from './voice.tsx'

/** More than this many messages at once would make every token slow; older ones are a click away. */
const PAGE = 60

export const App = () => {
  const [last, setLast] = useState(PAGE)
  const [trouble, setTrouble] = useState<string | null>(null)
  const onError = useCallback((error: unknown) => setTrouble((error as Error).message), [])
  const runtime = useHarnessRuntime(client, { last, onError })
  const { state, connection } = useSession()
  const hidden = state.messages.length > last
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <div>
        <Header />
        <Threads onError={onError} />
      </div>
      <Thread onEarlier={hidden ? () => setLast(last + PAGE) : null} />
      {trouble && (
        <p className="trouble" role="alert">
          {trouble}
          <button type="button" aria-label="Dismiss" onClick={() => setTrouble(null)}>
            ×
          </button>
        </p>
      )}
      {connection.phase === 'closed' && connection.error && (
        <p className="trouble" role="alert">
          {connection.error.message}
        </p>
      )}
      <Voice />
      <Composer />
    </AssistantRuntimeProvider>
  )
}
