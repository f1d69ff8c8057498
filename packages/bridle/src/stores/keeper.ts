// Keeps the database in order while others use it: commits groups, settles the tail, sweeps removed sessions, and when
// the outcome of a commit is not known, takes a new handle and reads anew before anybody may go on.
import { StoreFault } from '../kernel/ports.ts'
import { asFault, type Driver } from './driver.ts'
import { groupCommit, type Member } from './group-commit.ts'
import { sweep, unneeded } from './removal.ts'
import { currentEpoch } from './schema.ts'
import type { Tail } from './tail.ts'
import { upkeep } from './upkeep.ts'

/** Often enough that tidying takes a few milliseconds at most, seldom enough that its syncs vanish among the commits. */
const commitsPerTidy = 250

export interface Keeper {
  /** Runs now, on what is committed. */
  read<T>(work: () => T): T
  /** Queued for the next commit. */
  write(member: Member): void
  /** Whose the data is, as the transaction in progress found it. */
  owner(): number
  /** A session was removed. */
  sweepSoon(): void
  close(): void
}

export function openKeeper(driver: Driver, tail: Tail, epoch: number): Keeper {
  let state: 'fresh' | 'open' | 'lost' | 'closed' = 'fresh'
  let owner = epoch
  let roomToSettle = true
  let toSweep = true
  let toPurge = false
  let untidied = 0

  const commits = groupCommit(driver, {
    waiting: () => wake(),
    ready,
    begun: checkOwner,
    committed() {
      tail.commit()
      roomToSettle = true
      untidied++
    },
    rolledBack: tail.rollBack,
    lost: () => {
      state = 'lost'
    },
  })

  const wake = upkeep(driver.schedule, [
    { pending: () => commits.waiting > 0, run: commits.flush },
    { pending: () => roomToSettle && state === 'open' && tail.isFull(), run: settle },
    { pending: () => untidied >= commitsPerTidy && state === 'open', run: tidy },
    { pending: () => toSweep && state === 'open', run: sweepSlice },
    { pending: () => toPurge && !toSweep && state === 'open', run: purge },
  ])

  function checkOwner(): void {
    owner = currentEpoch(driver)
  }

  function ready(): void {
    if (state === 'closed') throw new StoreFault('fenced', 'the store is closed')
    // Also before a new handle is taken: it would make an empty database in the place of the lost one.
    driver.check?.()
    if (state === 'open') return
    try {
      if (state === 'lost') driver.reopen()
      tail.load()
      state = 'open'
    } catch (error) {
      throw new StoreFault('outcome_unknown', 'the database cannot be read', error)
    }
  }

  /** Upkeep: nobody waits for it, so a failure only means that it is tried again later. */
  function quietly(work: () => boolean): boolean {
    try {
      ready()
      return work()
    } catch (error) {
      noteLoss(asFault(driver, error, 'upkeep'))
      return false
    }
  }

  /** A transaction of our own; false when the data belongs to somebody else by now. */
  function owned(work: () => void): boolean {
    return driver.transaction(() => {
      checkOwner()
      if (owner !== epoch) return false
      work()
      return true
    })
  }

  function noteLoss({ code }: StoreFault): void {
    if (code === 'outcome_unknown') state = 'lost'
  }

  function settle(): void {
    roomToSettle = quietly(() => owned(tail.settle))
    if (!roomToSettle) return
    tail.clear()
    untidied = commitsPerTidy
  }

  function tidy(): void {
    untidied = 0
    quietly(() => {
      driver.tidy?.()
      return true
    })
  }

  function sweepSlice(): void {
    toSweep = quietly(() => {
      const sid = unneeded(driver)
      if (sid === undefined || !owned(() => sweep(driver, sid))) return false
      toPurge = true
      return true
    })
  }

  function purge(): void {
    toPurge = false
    quietly(() => {
      driver.purge?.()
      return true
    })
  }

  return {
    read<T>(work: () => T): T {
      ready()
      try {
        return work()
      } catch (error) {
        const fault = asFault(driver, error, 'read')
        noteLoss(fault)
        throw fault
      }
    },
    write: (member) => commits.add(member),
    owner: () => owner,
    sweepSoon() {
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
