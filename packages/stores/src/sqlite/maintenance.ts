// Upkeep between requests. After a commit of unknown outcome, reads and writes wait until all data is durable and reloaded.
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { type SqlDriver, toStoreFault } from '../drivers/driver.ts'
import { type CommitMember, groupCommit } from './group-commit.ts'
import { findSweepableSession, sweepSession } from './removal.ts'
import { currentEpoch, probeWrite } from './schema.ts'
import type { Tail } from './tail.ts'

/** Keeps each checkpoint short, yet makes its syncs negligible beside the commits. */
const COMMITS_PER_TIDY = 250

export interface StoreMaintenance {
  /** Sees committed data only. */
  read<T>(work: () => T): T
  write(member: CommitMember): void
  /** As read in the current transaction. */
  ownerEpoch(): number
  scheduleSweep(): void
  /** A cheap check: throws if the data has another owner or was deleted. */
  check(): void
  /** Why writes fail now, or null. Tries to recover first. */
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
    // A replaced owner may not notice by writing for a while, but must not serve stale reads.
    if (hasLooked && state === 'open') {
      try {
        checkOwner()
      } catch (error) {
        note(toStoreFault(driver, error, 'a look at the owner'))
      }
    }
    if (owner > epoch) throw new StoreFault('fenced', 'another process has taken over the data')
  }

  /** Failures of maintenance are retried later. */
  const quietly = (work: () => boolean): boolean => {
    try {
      ready()
      return work()
    } catch (error) {
      note(toStoreFault(driver, error, 'upkeep'))
      return false
    }
  }

  /** False if another owner has taken over the data. */
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
        // Only a successful write proves that there is space again.
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

/** Runs steps in turns of the event loop, so that a steady stream of appends cannot starve the others. Returns the wake function. */
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
