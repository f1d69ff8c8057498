import {
  type AssistantRuntime,
  type ExternalStoreAdapter,
  type ThreadMessage,
  useExternalStoreRuntime,
} from '@assistant-ui/react'
import type { HeldPrompt } from '@bridle/client/harness/options'
import type { HarnessState } from '@bridle/client/harness/state'
import type { HarnessLike } from '@bridle/react/harness-like'
import { useHarness } from '@bridle/react/use-harness'
import type { ThreadsLike } from '@bridle/react/use-threads'
import { useCallback, useMemo, useRef } from 'react'
import { type CommandOptions, runtimeCommands } from './runtime-commands.ts'
import { useThreadList } from './thread-list.ts'
import { toThreadMessages } from './thread-messages.ts'

/** Options of `useHarnessRuntime`. */
export interface HarnessRuntimeOptions extends CommandOptions {
  /** Limit of recent messages shown, plus queued prompts: every message costs time on every update. Default: all. */
  readonly last?: number
  /** The threads of the user, for assistant-ui's thread list. Pass the hook the client of the selected thread. */
  readonly threads?: ThreadsLike
}

/** For `<AssistantRuntimeProvider runtime={…}>`. Held prompts become the composer's queue. */
export const useHarnessRuntime = (client: HarnessLike, options: HarnessRuntimeOptions = {}): AssistantRuntime => {
  const { state, held } = useHarness(client)
  const thread = toThreadMessages(state)
  const waiting = options.last === undefined ? 0 : waitingPrompts(state)
  const messages = useMemo(() => lastOf(thread, options.last, waiting), [thread, options.last, waiting])
  const isRunning = state.status === 'running'

  const latest = useRef(options)
  latest.current = options
  const commands = useMemo(() => runtimeCommands(client, () => latest.current), [client])
  const queue = useMemo(() => ({ ...commands.queue, items: held.map(queueItem), steerItems: [] }), [commands, held])
  const report = useCallback((error: unknown) => (latest.current.onError ?? console.error)(error), [])
  const threadList = useThreadList(options.threads, report)
  const adapter = useMemo<ExternalStoreAdapter<ThreadMessage>>(
    () => ({ ...commands, messages, isRunning, queue, ...(threadList && { adapters: { threadList } }) }),
    [commands, messages, isRunning, queue, threadList],
  )
  return useExternalStoreRuntime(adapter)
}

/** Moves the window in steps, not with every message. Queued prompts do not count: the run before them must stay visible. */
export const lastOf = <T>(all: readonly T[], last: number | undefined, waiting = 0): readonly T[] => {
  if (last === undefined || all.length - waiting <= last) return all
  const step = Math.max(1, Math.floor(last / 2))
  return all.slice(Math.floor((all.length - waiting - last) / step) * step)
}

const waitingPrompts = ({ messages }: HarnessState): number =>
  messages.reduce((count, { role, status }) => (role === 'user' && status === 'pending' ? count + 1 : count), 0)

const queueItem = ({ id, prompt }: HeldPrompt) => ({ id, prompt, parts: [{ type: 'text', text: prompt }] as const })
