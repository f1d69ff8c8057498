// Keeps the database in order while it is used: commits groups, settles the tail, sweeps removed sessions. When the outcome of
// a commit is not known, every read and write waits until all that can be read is durable, and is read again.
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { type SqlDriver, toStoreFault } from '../drivers/driver.ts'
import { type CommitMember, groupCommit } from './group-commit.ts'
import { findSweepableSession, sweepSession } from './removal.ts'
import { currentEpoch, probeWrite } from './schema.ts'
import type { Tail } from './tail.ts'

/** Often enough that tidying takes a few milliseconds, seldom enough that its syncs vanish among those of the commits. */
const COMMITS_PER_TIDY = 250

export interface StoreMaintenance {
  /** Runs now, on what is committed. */
  read<T>(work: () => T): T
  /** Queued for the next commit. */
  write(member: CommitMember): void
  /** The epoch of the data's owner, as the transaction in progress read it. */
  ownerEpoch(): number
  /** A session was removed. */
  scheduleSweep(): void
  /** Throws when the data belongs to another owner or was taken away, as far as a quick look tells. */
  check(): void
  /** Why nothing can be written now; null where it can. Tries to mend what it finds. */
  writeFault(): StoreFault | null
  close(): void
}

export const openMaintenance = (driver: SqlDriver, tail: Tail, epoch: number): StoreMaintenance => {
  let state: 'fresh' | 'open' | 'lost' | 'closed' = 'fresh'
  let owner = epoch
  let roomToSettle = true
  let toSweep = true
  let toPurge = false
  let isPurgeLate = false
  /** The last write found no room. */
  let isFull = false
  let untidied = 0

  const checkOwner = (): void => {
    owner = currentEpoch(driver)
  }

  const ready = (look: 'now and then' | 'now' = 'now and then'): void => {
    if (state === 'closed') throw new StoreFault('fenced', 'the store is closed')
    check(look)
    if (state === 'open') return
    if (state === 'lost') recover()
    try {
      tail.load()
      state = 'open'
    } catch (error) {
      throw new StoreFault('outcome_unknown', 'the database cannot be read', error)
    }
    // The last owner may have left something to sweep.
    wake()
  }

  const recover = (): void => {
    try {
      driver.recover()
    } catch (error) {
      if (error instanceof StoreFault) throw error
      throw new StoreFault('unsynced', 'a sync failed, and so did moving the write-ahead log to the database', error)
    }
  }

  const check = (look: 'now and then' | 'now' = 'now and then'): void => {
    const hasLooked = driver.check?.(look) ?? false
    // An owner that was replaced may not write for long; its readers must not be shown an old state meanwhile.
    if (hasLooked && state === 'open') {
      try {
        checkOwner()
      } catch (error) {
        note(toStoreFault(driver, error, 'a look at the owner'))
      }
    }
    if (owner > epoch) throw new StoreFault('fenced', 'another process has taken over the data')
  }

  /** Nobody waits for upkeep, so a failure only means that it is tried again later. */
  const quietly = (work: () => boolean): boolean => {
    try {
      ready()
      return work()
    } catch (error) {
      note(toStoreFault(driver, error, 'upkeep'))
      return false
    }
  }

  /** A transaction; false when another owner has the data by now. */
  const owned = (work: () => void): boolean =>
    driver.transaction(() => {
      checkOwner()
      if (owner !== epoch) return false
      work()
      return true
    })

  const note = ({ code }: StoreFault): void => {
    if (code === 'outcome_unknown') state = 'lost'
    if (code === 'full') isFull = true
  }

  const settle = (): void => {
    roomToSettle = quietly(() => owned(tail.settle))
    if (!roomToSettle) return
    tail.clear()
    untidied = COMMITS_PER_TIDY
  }

  const tidy = (): void => {
    untidied = 0
    quietly(() => {
      driver.tidy?.()
      return true
    })
  }

  const sweepSlice = (): void => {
    toSweep = quietly(() => {
      const sid = findSweepableSession(driver)
      if (sid === undefined || !owned(() => sweepSession(driver, sid))) return false
      toPurge = true
      return true
    })
  }

  const purge = (): void => {
    toPurge = false
    isPurgeLate = !quietly(() => driver.purge?.() ?? true)
  }

  const commits = groupCommit(driver, {
    onQueued: () => wake(),
    beforeTransaction: () => ready(),
    onBegin: checkOwner,
    onCommit() {
      tail.commit()
      roomToSettle = true
      isFull = false
      untidied++
    },
    onRollBack: (fault) => {
      tail.rollBack()
      note(fault)
    },
  })

  const wake = roundRobin(driver.schedule, [
    { pending: () => commits.waiting > 0, run: commits.flush },
    { pending: () => roomToSettle && state === 'open' && tail.isFull(), run: settle },
    { pending: () => untidied >= COMMITS_PER_TIDY && state === 'open', run: tidy },
    { pending: () => toSweep && state === 'open', run: sweepSlice },
    { pending: () => toPurge && !toSweep && state === 'open', run: purge },
  ])

  return {
    read<T>(work: () => T): T {
      ready()
      try {
        return work()
      } catch (error) {
        const fault = toStoreFault(driver, error, 'read')
        note(fault)
        throw fault
      }
    },
    check: () => check(),
    writeFault() {
      try {
        ready('now')
        // Others are told that there is room again only when a write has shown it.
        if (isFull) owned(() => probeWrite(driver))
        isFull = false
      } catch (error) {
        const fault = toStoreFault(driver, error, 'a probe')
        note(fault)
        return fault
      }
      toPurge ||= isPurgeLate
      wake()
      return null
    },
    write: (member) => commits.add(member),
    ownerEpoch: () => owner,
    scheduleSweep() {
      toSweep = true
      toPurge = true
    },
    close() {
      while (commits.waiting > 0) commits.flush()
      if (state === 'open') settle()
      state = 'closed'
    },
  }
}

interface MaintenanceStep {
  pending(): boolean
  run(): void
}

/**
 * Steps run one at a time and in turns, so that a steady stream of appends cannot starve the others, and the event loop breathes in between.
 * Returns the call that says "there may be something to do".
 */
const roundRobin = (schedule: (work: () => void) => void, steps: readonly MaintenanceStep[]): (() => void) => {
  let scheduled = false
  let turn = 0

  const wake = (): void => {
    if (scheduled || !steps.some((step) => step.pending())) return
    scheduled = true
    schedule(work)
  }

  const work = (): void => {
    scheduled = false
    for (let tried = 0; tried < steps.length; tried++) {
      const step = steps[turn++ % steps.length]!
      if (!step.pending()) continue
      step.run()
      break
    }
    wake()
  }

  return wake
}
