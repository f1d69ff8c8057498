// A page of assistant-ui's own parts that shows everything as text, and a client without a server behind it.
import {
  AssistantRuntimeProvider,
  AuiIf,
  ComposerPrimitive,
  MessagePrimitive,
  QueueItemPrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
  useAuiState,
} from '@assistant-ui/react'
import type { HarnessState } from '@bridle/client/harness/state'
import type { HarnessLike } from '@bridle/react/harness-like'
import { act, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, vi } from 'vitest'
import { type HarnessRuntimeOptions, useHarnessRuntime } from './use-harness-runtime.ts'

const roots: Root[] = []

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  // jsdom has no layout.
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  )
  Element.prototype.scrollTo = () => {}
})

afterEach(async () => {
  for (const root of roots.splice(0)) await act(() => root.unmount())
  document.body.replaceChildren()
  vi.unstubAllGlobals()
})

/** A client without a server: the test sets its state. */
export const fakeClient = (first: HarnessState) => {
  let state = first
  let held: HarnessLike['held'] = []
  const listeners = new Set<() => void>()
  const tell = () =>
    act(() => {
      for (const listener of listeners) listener()
    })
  const answers = () => vi.fn(async (..._given: unknown[]) => ({}))
  const connection: HarnessLike['connection'] = { phase: 'open', attempt: 0, lastSeq: 0, resyncs: 0 }
  return {
    getSnapshot: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    connection,
    get held() {
      return held
    },
    discard: vi.fn((_id: string) => true),
    submit: answers(),
    steer: answers(),
    edit: answers(),
    reload: answers(),
    cancel: answers(),
    approve: answers(),
    answer: answers(),
    pause: answers(),
    resume: answers(),
    signal: answers(),
    show: (next: HarnessState) => {
      state = next
      return tell()
    },
    hold: (next: HarnessLike['held']) => {
      held = next
      return tell()
    },
  } satisfies HarnessLike & Record<string, unknown>
}

export const mount = async (Page: () => ReactNode): Promise<HTMLElement> => {
  const root = document.body.appendChild(document.createElement('div'))
  roots.push(createRoot(root))
  await act(() => roots.at(-1)!.render(<Page />))
  return root
}

export const mounted = async (state: HarnessState, options: HarnessRuntimeOptions = {}) => {
  const client = fakeClient(state)
  const root = await mount(() => (
    <AssistantRuntimeProvider runtime={useHarnessRuntime(client, options)}>
      <Thread />
    </AssistantRuntimeProvider>
  ))
  const press = async (name: string) => {
    const button = root.querySelector<HTMLButtonElement>(`[data-name=${name}]`)
    await act(async () => button!.click())
  }
  const type = async (prompt: string) => {
    const input = root.querySelector('textarea')!
    await act(async () => {
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')!.set!.call(input, prompt)
      input.dispatchEvent(new Event('input', { bubbles: true }))
    })
    await act(async () => input.form!.requestSubmit())
  }
  const text = () =>
    [...root.querySelectorAll('[data-role]')].map((each) => each.textContent!.replace(/\s+/g, ' ').trim())
  return { client, root, press, type, text }
}

const Thread = () => (
  <ThreadPrimitive.Root>
    <ThreadPrimitive.Viewport>
      <ThreadPrimitive.Messages components={messages} />
    </ThreadPrimitive.Viewport>
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Queue>
        {({ queueItem }) => (
          <div>
            <span data-held>{queueItem.prompt}</span>
            <QueueItemPrimitive.Remove data-name="Discard" />
          </div>
        )}
      </ComposerPrimitive.Queue>
      <ComposerPrimitive.Input />
      <AuiIf condition={(s) => s.thread.isRunning}>
        <ComposerPrimitive.Cancel data-name="Stop" />
      </AuiIf>
    </ComposerPrimitive.Root>
  </ThreadPrimitive.Root>
)

const Message = () => {
  const { role, status } = useAuiState((s) => s.message)
  return (
    <MessagePrimitive.Root data-role>
      {role}: <MessagePrimitive.Parts components={parts} />
      {status?.type === 'incomplete' && ` (incomplete ${status.reason})`}
    </MessagePrimitive.Root>
  )
}

const Tool = ({
  toolName,
  argsText,
  args,
  result,
  status,
  approval,
  respondToApproval,
  addResult,
}: ToolCallMessagePartProps) => {
  const isOpen = approval && approval.approved === undefined && !approval.resolution
  const respond = (answer: { approved: boolean; reason?: string }) => respondToApproval(answer).catch(() => {})
  return (
    <div>
      {`<${toolName} ${argsText} ${status.type === 'complete' ? JSON.stringify(result) : status.type}`}
      {isOpen && (
        <>
          {` ${approval.prompt} `}
          <button type="button" data-name="Approve" onClick={() => respond({ approved: true })}>
            {'Approve '}
          </button>
          <button type="button" data-name="Deny" onClick={() => respond({ approved: false, reason: 'No.' })}>
            Deny
          </button>
        </>
      )}
      {(args.questions !== undefined || args.schema !== undefined) && status.type === 'requires-action' && (
        <>
          <button type="button" data-name="Answer" onClick={() => addResult({ answers: { db: 'SQLite' } })}>
            {' Answer '}
          </button>
          <button type="button" data-name="Decline" onClick={() => addResult({ declined: true })}>
            Decline
          </button>
        </>
      )}
      {'> '}
    </div>
  )
}

const messages = { Message }
const parts = {
  Text: ({ text }: { text: string }) => <span>{text}</span>,
  Reasoning: ({ text }: { text: string }) => <span>{`[thought ${text}] `}</span>,
  tools: { Override: Tool },
}
