import type { ExternalStoreThreadListAdapter } from '@assistant-ui/react'
import type { ThreadsState } from '@bridle/client/threads/options'
import type { ThreadsLike } from '@bridle/react/use-threads'
import { useMemo, useSyncExternalStore } from 'react'

const noThreads: Pick<ThreadsLike, 'getSnapshot' | 'subscribe'> = {
  getSnapshot: () => none,
  subscribe: () => () => {},
}
const none: ThreadsState = { threads: [], current: null, phase: 'ready', error: null, hasMore: false }

export const useThreadList = (
  threads: ThreadsLike | undefined,
  onError: (error: unknown) => void,
): ExternalStoreThreadListAdapter | undefined => {
  const { subscribe, getSnapshot } = threads ?? noThreads
  const state = useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
  return useMemo(() => threads && threadListAdapter(threads, state, onError), [threads, state, onError])
}

/** Failures go to `onError`, because assistant-ui does not show them. */
export const threadListAdapter = (
  threads: ThreadsLike,
  { threads: list, current, phase }: ThreadsState,
  onError: (error: unknown) => void,
): ExternalStoreThreadListAdapter => {
  const reported = async (act: Promise<unknown>) => {
    await act.catch(onError)
  }
  return {
    ...(current !== null && { threadId: current }),
    isLoading: phase === 'loading',
    threads: list.map(({ id, title }) => ({ status: 'regular', id, remoteId: id, ...(title !== '' && { title }) })),
    onSwitchToNewThread: () => reported(threads.create()),
    onSwitchToThread: (id) => threads.switchTo(id),
    onRename: (id, title) => reported(threads.rename(id, title)),
    onArchive: (id) => reported(threads.archive(id)),
    onUnarchive: (id) => reported(threads.archive(id, false)),
    onDelete: (id) => reported(threads.remove(id)),
  }
}
