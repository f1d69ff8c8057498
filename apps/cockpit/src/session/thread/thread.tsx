// The conversation: assistant-ui for the messages at its end, rows of our own for older ones, and a scroll that is never stolen.
import { AssistantRuntimeProvider, ThreadPrimitive } from '@assistant-ui/react'
import { toThreadMessages, useHarnessRuntime } from 'bridle/assistant-ui'
import type { HarnessState } from 'bridle/client'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { showError } from '../../ui/toast.tsx'
import { waitingPrompts } from '../composer/queued-prompts.ts'
import { LiveAnswer } from './live-answer.tsx'
import { LiveQuestion } from './live-question.tsx'
import { Markers } from './markers/marker-row.tsx'
import { OlderMessages } from './older-messages.tsx'
import { useHarnessList, useHarnessValue, useThreadIndex, useThreadSource } from './thread-context.tsx'
import { useSelectedRow } from './use-selected-row.ts'
import { useStickToEnd } from './use-stick-to-end.ts'
import { firstShown, WINDOW_MESSAGES, windowCut } from './window-cut.ts'
import './thread.css'

/** The older messages that come with each look beyond the top. */
const OLDER_STEP = 40

/** `children` is the composer: it belongs to the column of the thread. */
export const Thread = ({ children }: { readonly children: ReactNode }) => {
  const { viewport, content, isAtEnd, toEnd } = useStickToEnd()
  useSelectedRow()
  const length = useHarnessValue(lengthOf)
  const isEmpty = useHarnessValue(isWithoutMessages)
  const lengthAtLeave = useRef(length)
  useEffect(() => {
    if (isAtEnd) lengthAtLeave.current = length
  }, [isAtEnd, length])
  const added = length - lengthAtLeave.current
  return (
    <section className="chat" aria-label="Thread">
      <div className="thread-place">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
        <div className="thread" ref={viewport} tabIndex={0} role="log" aria-live="off" aria-label="Conversation">
          <div className="thread-in" ref={content}>
            <Older isAtEnd={isAtEnd} />
            <Live />
            {isEmpty && <p className="t3 empty-thread">Nothing was said yet. The first prompt goes below.</p>}
          </div>
        </div>
        {!isAtEnd && (
          <div className="jump">
            <Button icon="arrow-down" onClick={toEnd}>
              Jump to latest{added > 0 && ` (${added} new)`}
            </Button>
          </div>
        )}
      </div>
      {children}
    </section>
  )
}

const lengthOf = (state: HarnessState): number => state.messages.length
const isWithoutMessages = (state: HarnessState): boolean => state.messages.length === 0

const Older = ({ isAtEnd }: { readonly isAtEnd: boolean }) => {
  const { head } = useThreadIndex()
  const cut = useHarnessValue((state) => windowCut(toThreadMessages(state).length - waitingPrompts(state)))
  const isEmpty = useHarnessValue(isWithoutMessages)
  // The conversation comes after the page: its window is enough to begin with.
  const [first, setFirst] = useState<number | null>(null)
  const shownFrom = first === null ? cut : firstShown(first, cut, isAtEnd)
  useEffect(() => {
    if (!isEmpty) setFirst(shownFrom)
  }, [shownFrom, isEmpty])
  const messages = useHarnessList((state) => state.messages.slice(shownFrom, cut))
  const onMore = useCallback(() => setFirst((before) => Math.max(0, (before ?? 0) - OLDER_STEP)), [])
  return (
    <>
      <OlderMessages messages={messages} hidden={shownFrom} onMore={onMore} />
      {shownFrom === 0 && <Markers markers={head} />}
    </>
  )
}

const Live = () => {
  const { harness } = useThreadSource()
  const runtime = useHarnessRuntime(harness, options)
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.ViewportProvider>
        <ThreadPrimitive.Messages components={components} />
      </ThreadPrimitive.ViewportProvider>
    </AssistantRuntimeProvider>
  )
}

// Outside the components: other objects would render every message anew.
const options = { last: WINDOW_MESSAGES, onError: showError }
const components = { UserMessage: LiveQuestion, AssistantMessage: LiveAnswer }
