// A sync costs as much as hundreds of inserts, so everything queued during a commit goes into the next. Nothing waits for a timer.
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { type SqlDriver, toStoreFault } from '../drivers/driver.ts'

/** Bounds the blocking of the event loop to a few milliseconds. */
const GROUP_MEMBERS_MAX = 256
/** The same bound for large appends. */
const GROUP_CHARS_MAX = 512 * 1024

export interface CommitMember {
  readonly chars: number
  /** Must be committed without other members. */
  readonly alone?: boolean
  /** Validates, and returns the function that writes. Throws errors that concern only this member. */
  prepare(): () => void
  done(): void
  fail(fault: StoreFault): void
}

interface GroupCommit {
  add(member: CommitMember): void
  flush(): void
  readonly waiting: number
}

interface CommitHooks {
  onQueued(): void
  /** Throws if no transaction is possible. */
  beforeTransaction(): void
  /** The first step within the transaction. */
  onBegin(): void
  onCommit(): void
  /** After `outcome_unknown` the commit may have happened, so state in memory must be reloaded. */
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
      // Nothing was written. Commit one by one, so that only the culprit fails.
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
