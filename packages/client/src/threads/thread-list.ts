// Lists of threads, without I/O: the newest change first.
import type { SessionRow } from '@bridle/wire/http/wire'
import type { Thread } from './options.ts'

/** The part of a row, or of a card, that a list of threads shows. */
type ThreadFields = Pick<SessionRow, 'id' | 'agent' | 'title' | 'status' | 'updatedAt'> & {
  readonly pendingApprovals?: number
}

export const threadOf = ({ id, agent, title, status, updatedAt, pendingApprovals = 0 }: ThreadFields): Thread => ({
  ...{ id, agent, title, status, updatedAt, pendingApprovals },
})

/** The list with this thread as it is now; the same list where nothing differs, or where the list has a later state. */
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
