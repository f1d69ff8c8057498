// The threads of a user as a React store.

import type { ThreadsState } from '@bridle/client/threads/options'
import type { Threads } from '@bridle/client/threads/threads'
import { useMemo, useSyncExternalStore } from 'react'

/** The part of `Threads` that the hook uses, so that tests and pages can pass a stand-in. */
export type ThreadsLike = Pick<
  Threads,
  'getSnapshot' | 'subscribe' | 'refresh' | 'more' | 'create' | 'switchTo' | 'rename' | 'archive' | 'remove'
>

/** The acts upon threads, bound to their list. They never change. */
export type ThreadActions = Omit<ThreadsLike, 'getSnapshot' | 'subscribe'>

/** The threads of a user, the one that is shown, and the acts. */
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
