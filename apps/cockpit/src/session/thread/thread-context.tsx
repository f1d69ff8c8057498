// The things of a session that rows of a thread need, apart from those that change with every event: a row must not render for a
// token of another message.
import type { HarnessConnection, HarnessState, HeldPrompt } from 'bridle/client'
import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Conversation } from '../past/past-conversation.ts'
import { useSession } from '../session-context.tsx'
import { emptyThreadIndex, type ThreadIndex, threadIndex } from './thread-index.ts'

interface ThreadSource {
  readonly harness: Conversation
  readonly id: string
  readonly agent: string
  readonly kind: 'chat' | 'background'
}

const SourceContext = createContext<ThreadSource | null>(null)
const IndexContext = createContext<ThreadIndex>(emptyThreadIndex)

export const ThreadProvider = ({ children }: { readonly children: ReactNode }) => {
  const { harness, id, agent, events, detail } = useSession()
  const { kind } = detail
  const source = useMemo(() => ({ harness, id, agent, kind }), [harness, id, agent, kind])
  const { timeline, diagnostics } = events
  // Tokens change the turns alone: the index follows the events that rows show.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the turns change with every token
  const index = useMemo(() => threadIndex(events), [timeline, diagnostics])
  return (
    <SourceContext value={source}>
      <IndexContext value={index}>{children}</IndexContext>
    </SourceContext>
  )
}

export const useThreadSource = (): ThreadSource => {
  const source = use(SourceContext)
  if (!source) throw new Error('ThreadProvider is missing.')
  return source
}

export const useThreadIndex = (): ThreadIndex => use(IndexContext)

const useHarnessSnapshot = <T,>(read: (harness: Conversation) => T): T => {
  const { harness } = useThreadSource()
  const subscribe = useCallback((listener: () => void) => harness.subscribe(listener), [harness])
  return useSyncExternalStore(subscribe, () => read(harness))
}

/** A part of the conversation. The selector returns parts of the state as they are. */
export const useHarnessValue = <T,>(select: (state: HarnessState) => T): T =>
  useHarnessSnapshot((harness) => select(harness.getSnapshot()))

export const useConnection = (): HarnessConnection => useHarnessSnapshot(({ connection }) => connection)

/** False until the conversation has come once: before that, an empty one would be a lie. */
export const useHasConversation = (): boolean => useHarnessSnapshot(({ connection }) => connection.lastSeq !== null)

/** The number of the newest event that the conversation has. */
export const useHarnessSeq = (): number => useHarnessSnapshot(({ connection }) => connection.lastSeq ?? 0)

/** Prompts that wait for a connection. */
export const useHeldPrompts = (): readonly HeldPrompt[] => useHarnessSnapshot(({ held }) => held)

/** A list of parts of the conversation: the same array until one of them changes. */
export const useHarnessList = <T,>(select: (state: HarnessState) => readonly T[]): readonly T[] => {
  const kept = useRef<readonly T[]>([])
  return useHarnessValue((state) => {
    const next = select(state)
    const isSame = next.length === kept.current.length && next.every((each, at) => each === kept.current[at])
    if (!isSame) kept.current = next
    return kept.current
  })
}
