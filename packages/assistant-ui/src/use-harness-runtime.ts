// A HarnessClient as assistant-ui's runtime: the composer and the buttons send commands, and the thread is the server's state.
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

/** Settings of `useHarnessRuntime`. */
export interface HarnessRuntimeOptions extends CommandOptions {
  /**
   * Shows only about this many of the last messages, and the prompts that wait for their turn. Every message costs
   * assistant-ui time on every update: set a number where conversations grow long. Default: all.
   */
  readonly last?: number
  /** The threads of the user, for assistant-ui's list of threads. Give the hook the client of the thread that is shown. */
  readonly threads?: ThreadsLike
}

/** For `<AssistantRuntimeProvider runtime={…}>`. Held prompts are the composer's queue. */
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

/**
 * The first message shown moves in steps, so that not every new message removes an old one from the page. Prompts that wait do not
 * count: the run before them, and the approval that it waits for, must stay on the page behind the longest queue.
 */
export const lastOf = <T>(all: readonly T[], last: number | undefined, waiting = 0): readonly T[] => {
  if (last === undefined || all.length - waiting <= last) return all
  const step = Math.max(1, Math.floor(last / 2))
  return all.slice(Math.floor((all.length - waiting - last) / step) * step)
}

const waitingPrompts = ({ messages }: HarnessState): number =>
  messages.reduce((count, { role, status }) => (role === 'user' && status === 'pending' ? count + 1 : count), 0)

const queueItem = ({ id, prompt }: HeldPrompt) => ({ id, prompt, parts: [{ type: 'text', text: prompt }] as const })
