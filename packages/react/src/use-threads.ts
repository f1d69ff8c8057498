import type { ThreadsState } from '@bridle/client/threads/options'
import type { Threads } from '@bridle/client/threads/threads'
import { useMemo, useSyncExternalStore } from 'react'

/** The part of `Threads` that the hook uses, so that tests and pages can pass a stand-in. */
export type ThreadsLike = Pick<
  Threads,
  'getSnapshot' | 'subscribe' | 'refresh' | 'more' | 'create' | 'switchTo' | 'rename' | 'archive' | 'remove'
>

/** The thread actions. Referentially stable for a list. */
export type ThreadActions = Omit<ThreadsLike, 'getSnapshot' | 'subscribe'>

/** Subscribes to the threads of a user, including the selected one. */
export const useThreads = (threads: ThreadsLike): ThreadsState & ThreadActions => {
  const state = useSyncExternalStore(threads.subscribe, threads.getSnapshot, threads.getSnapshot)
  const actions = useMemo(() => actionsOf(threads), [threads])
  return useMemo(() => ({ ...state, ...actions }), [state, actions])
}

const actionNames = [
  'refresh',
  'more',
  'create',
  'switchTo',
  'rename',
  'archive',
  'remove',
] as const satisfies readonly (keyof ThreadActions)[]

const actionsOf = (threads: ThreadsLike): ThreadActions =>
  Object.fromEntries(actionNames.map((name) => [name, threads[name].bind(threads)])) as unknown as ThreadActions
