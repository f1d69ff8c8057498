// Many appends, one commit. A sync to disk costs as much as hundreds of inserts, so whatever has queued up while the
// last commit ran goes into the next one. Nothing waits for a timer.
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { type SqlDriver, toStoreFault } from '../drivers/driver.ts'

/** Appends in one commit, so that it blocks the event loop for a few milliseconds at most. */
const GROUP_MEMBERS_MAX = 256
/** Characters in one commit, for the same reason. */
const GROUP_CHARS_MAX = 512 * 1024

export interface CommitMember {
  readonly chars: number
  /** True: the commit has no other member. */
  readonly alone?: boolean
  /** Checks without writing, and returns the writing. Throws what concerns this member alone. */
  prepare(): () => void
  done(): void
  fail(fault: StoreFault): void
}

interface GroupCommit {
  add(member: CommitMember): void
  /** Commits the next group. */
  flush(): void
  readonly waiting: number
}

interface CommitHooks {
  onQueued(): void
  /** Before each transaction. Throws when there can be none. */
  beforeTransaction(): void
  /** First thing in each transaction. */
  onBegin(): void
  onCommit(): void
  /** After `outcome_unknown` the commit may have happened: what is held in memory must be read again. */
  onRollBack(fault: StoreFault): void
}

export const groupCommit = (driver: SqlDriver, hooks: CommitHooks): GroupCommit => {
  let queue: CommitMember[] = []

  const flush = (): void => {
    const size = groupSize(queue)
    const group = queue.slice(0, size)
    queue = queue.slice(size)
    commit(group)
  }

  const commit = (group: readonly CommitMember[]): void => {
    const written: CommitMember[] = []
    const refused: { member: CommitMember; fault: StoreFault }[] = []
    try {
      hooks.beforeTransaction()
      driver.transaction(() => {
        hooks.onBegin()
        for (const member of group) {
          let write: () => void
          try {
            write = member.prepare()
          } catch (error) {
            if (!(error instanceof StoreFault)) throw error
            refused.push({ member, fault: error })
            continue
          }
          write()
          written.push(member)
        }
      })
    } catch (error) {
      return recover(group, error)
    }
    hooks.onCommit()
    for (const member of written) member.done()
    for (const { member, fault } of refused) member.fail(fault)
  }

  const recover = (group: readonly CommitMember[], error: unknown): void => {
    const fault = toStoreFault(driver, error, 'append')
    hooks.onRollBack(fault)
    if (fault.code === 'outcome_unknown') {
      for (const member of group) member.fail(fault)
    } else if (group.length === 1) {
      group[0]!.fail(fault)
    } else {
      // Nothing was written. One of them is to blame; alone, each gets what it deserves.
      for (const member of group) commit([member])
    }
  }

  return {
    add(member) {
      queue.push(member)
      hooks.onQueued()
    },
    flush,
    get waiting() {
      return queue.length
    },
  }
}

const groupSize = (queue: readonly CommitMember[]): number => {
  let chars = 0
  for (const [index, member] of queue.entries()) {
    chars += member.chars
    const closes = member.alone || chars > GROUP_CHARS_MAX || index >= GROUP_MEMBERS_MAX
    if (closes) return Math.max(index, 1)
  }
  return queue.length
}
