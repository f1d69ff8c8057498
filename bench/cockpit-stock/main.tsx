// The same session as the cockpit shows, in assistant-ui as it comes: all messages in its runtime, its own components, plain text.
import { AssistantRuntimeProvider, MessagePrimitive, ThreadPrimitive } from '@assistant-ui/react'
import { useHarnessRuntime } from 'bridle/assistant-ui'
import { HarnessClient } from 'bridle/client'
import { createRoot } from 'react-dom/client'

const query = new URLSearchParams(location.search)
const url = new URL('/ws', location.href)
url.protocol = 'ws:'
url.searchParams.set('sessionId', query.get('session') ?? '')
url.searchParams.set('agent', 'scripted')
const client = new HarnessClient({ url: url.href })

const Message = () => (
  <MessagePrimitive.Root>
    <MessagePrimitive.Parts />
  </MessagePrimitive.Root>
)

const components = { UserMessage: Message, AssistantMessage: Message }

const App = () => (
  <AssistantRuntimeProvider runtime={useHarnessRuntime(client)}>
    <ThreadPrimitive.Root>
      <ThreadPrimitive.Viewport role="log" style={{ height: '90vh', overflow: 'auto' }}>
        <ThreadPrimitive.Messages components={components} />
      </ThreadPrimitive.Viewport>
    </ThreadPrimitive.Root>
  </AssistantRuntimeProvider>
)

const place = document.getElementById('app')
if (place) createRoot(place).render(<App />)
