// Pure list operations. Last changed first.
import type { SessionRow } from '@bridle/wire/http/wire'
import type { Thread } from './options.ts'

type ThreadFields = Pick<SessionRow, 'id' | 'agent' | 'title' | 'status' | 'updatedAt'> & {
  readonly pendingApprovals?: number
}

export const threadOf = ({ id, agent, title, status, updatedAt, pendingApprovals = 0 }: ThreadFields): Thread => ({
  ...{ id, agent, title, status, updatedAt, pendingApprovals },
})

/** Inserts or updates a thread. Returns the same list if nothing changes or the list is newer. */
export const withThread = (threads: readonly Thread[], thread: Thread): readonly Thread[] => {
  const before = threads.find((each) => isSame(each, thread))
  if (before && before.updatedAt > thread.updatedAt) return threads
  if (before && JSON.stringify(before) === JSON.stringify(thread)) return threads
  return [...threads.filter((each) => each !== before), thread].sort(newestFirst)
}

export const withoutThread = (threads: readonly Thread[], id: string, agent?: string): readonly Thread[] => {
  const left = threads.filter((each) => each.id !== id || (agent !== undefined && each.agent !== agent))
  return left.length === threads.length ? threads : left
}

export const changedSince = (before: readonly Thread[], now: readonly Thread[]): readonly Thread[] =>
  now.filter((each) => !before.includes(each))

export const leftSince = (before: readonly Thread[], now: readonly Thread[]): readonly Thread[] =>
  before.filter((each) => !now.some((other) => isSame(each, other)))

export const isSame = (a: Thread, b: Thread): boolean => a.id === b.id && a.agent === b.agent

const newestFirst = (a: Thread, b: Thread): number =>
  a.updatedAt === b.updatedAt ? (a.id < b.id ? -1 : 1) : a.updatedAt < b.updatedAt ? 1 : -1
