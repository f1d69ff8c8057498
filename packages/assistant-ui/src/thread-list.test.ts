// The list of threads, as React and as assistant-ui see it, with a stand-in for the server.

import type { ThreadsState } from '@bridle/client/threads/options'
import { type ThreadsLike, useThreads } from '@bridle/react/use-threads'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { threadListAdapter } from './thread-list.ts'

const thread = (id: string, title: string) => ({
  ...{ id, title, agent: 'a', status: 'idle', updatedAt: '2026-01-01T00:00:00.000Z', pendingApprovals: 0 },
})
const state: ThreadsState = {
  ...{
    threads: [thread('t1', 'Garden'), thread('t2', '')],
    current: 't2',
    phase: 'ready',
    error: null,
    hasMore: false,
  },
}
const standIn = (fails = false) => {
  const calls: unknown[][] = []
  const act =
    (name: string) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args])
      if (fails) throw new Error(name)
    }
  const threads = {
    getSnapshot: () => state,
    subscribe: () => () => {},
    switchTo: (id: string | null) => void calls.push(['switchTo', id]),
    ...Object.fromEntries(
      ['refresh', 'more', 'create', 'rename', 'archive', 'remove'].map((name) => [name, act(name)]),
    ),
  } as unknown as ThreadsLike
  return { calls, threads }
}

test('[H135] assistant-ui gets the threads, and its buttons act upon them', async () => {
  const { calls, threads } = standIn()
  const list = threadListAdapter(threads, state, () => {})
  expect(list).toMatchObject({
    threadId: 't2',
    isLoading: false,
    threads: [
      { status: 'regular', id: 't1', remoteId: 't1', title: 'Garden' },
      { status: 'regular', id: 't2', remoteId: 't2' },
    ],
  })
  await list.onSwitchToNewThread?.()
  await list.onSwitchToThread?.('t1')
  await list.onRename?.('t1', 'House')
  await list.onArchive?.('t1')
  await list.onUnarchive?.('t1')
  await list.onDelete?.('t2')
  expect(calls).toEqual([
    ['create'],
    ['switchTo', 't1'],
    ['rename', 't1', 'House'],
    ['archive', 't1'],
    ['archive', 't1', false],
    ['remove', 't2'],
  ])
})

test('[H135] a failure is reported, and rejects nothing', async () => {
  const errors: string[] = []
  const list = threadListAdapter(standIn(true).threads, state, (error) => errors.push((error as Error).message))
  await list.onRename?.('t1', 'x')
  await list.onDelete?.('t1')
  expect(errors).toEqual(['rename', 'remove'])
})

test('[H135] useThreads has the state and bound acts', () => {
  const { calls, threads } = standIn()
  const Titles = () => {
    const { threads: list, current, switchTo } = useThreads(threads)
    switchTo('t1')
    return createElement('p', null, `${list.map(({ title }) => title).join()} ${current}`)
  }
  expect(renderToString(createElement(Titles))).toBe('<p>Garden, t2</p>')
  expect(calls).toEqual([['switchTo', 't1']])
})
