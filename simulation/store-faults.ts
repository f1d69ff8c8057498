// The store as a process sees it: slow, full, or without an answer after a write; a process may also crash in a call.
import { keyText } from '@bridle/kernel/event'
import type { MemorySession } from '@bridle/kernel/memory/memory-data'
import type { MemoryStore } from '@bridle/kernel/memory/memory-store'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Lease, Log, LogAppend } from '@bridle/kernel/ports/log'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { fail, note, type SimulationContext } from './ground.ts'
import type { SimulatedProcess } from './process.ts'

export const faultyStore = (
  ground: SimulationContext,
  process: SimulatedProcess,
  bare: MemoryStore,
): { readonly log: Log; readonly directory: Directory } => {
  const { prng } = ground
  const inner = ground.breakStore?.(bare, ground) ?? bare
  const latencyMs = () => (prng.chance(ground.faults.slow) ? prng.int(50, 20_000) : prng.int(0, 3))

  const isOut = () => ground.schedule.now < ground.outageUntil

  const read = <T>(act: () => Promise<T>): Promise<T> =>
    process.outside(async () => {
      if (isOut() || prng.chance(ground.faults.readError)) throw new StoreFault('outcome_unknown', 'The read failed.')
      return act()
    }, latencyMs)

  /** `good` is the weight of success against the faults: rare calls should fail more often. */
  const write = <T>(what: string, good: number, act: () => Promise<T>): Promise<T> =>
    process.outside(async () => {
      const { full, unknownUndone, unknownDone, crashBeforeWrite, crashAfterWrite } = ground.faults
      const fates = { good, full, unknownUndone, unknownDone, crashBeforeWrite, crashAfterWrite }
      const fate = isOut() ? 'full' : prng.weighted(fates)
      if (fate === 'full') throw new StoreFault('full', 'No room.')
      if (fate === 'unknownUndone') throw new StoreFault('outcome_unknown', 'Not written, as it happens.')
      if (fate === 'crashBeforeWrite') {
        process.end(`before ${what}`)
        return never()
      }
      const done = await act()
      if (fate === 'crashAfterWrite') process.end(`after ${what}`)
      if (fate === 'unknownDone') throw new StoreFault('outcome_unknown', 'Written, as it happens.')
      return done
    }, latencyMs)

  const append = (lease: Lease, append: LogAppend): Promise<void> => {
    const deposed = lease.epoch < ground.data.epoch
    const before = deposed ? fingerprint(ground, lease) : ''
    const appended = inner.log.append(lease, append)
    if (!deposed) return appended
    if (fingerprint(ground, lease) !== before) fail(ground, 4, `a deposed owner changed ${keyText(lease.key)}`)
    return appended.then(() => fail(ground, 4, `a deposed owner's append to ${keyText(lease.key)} was accepted`))
  }

  return {
    log: {
      open: (...asked) => read(() => inner.log.open(...asked)),
      append: (lease, batch) => write(`append to ${keyText(lease.key)}`, 1, () => append(lease, batch)),
      read: (key, after, limit) => read(() => inner.log.read(key, after, limit)),
      result: (key, commandId) => read(() => inner.log.result(key, commandId)),
      remove: (key) =>
        write(`removal of ${keyText(key)}`, 0.1, async () => {
          const removed = await inner.log.remove(key)
          note(ground, `${process.name} removed ${keyText(key)}: ${removed}`)
          return removed
        }),
      reserve: (key, head) => write(`numbers of ${keyText(key)}`, 0.1, () => inner.log.reserve(key, head)),
    },
    directory: {
      list: (tenant, filter) => read(() => inner.directory.list(tenant, filter)),
      approvals: (tenant, filter) => read(() => inner.directory.approvals(tenant, filter)),
      settled: (tenant, filter) => read(() => inner.directory.settled(tenant, filter)),
      due: (now, limit) => read(() => inner.directory.due(now, limit)),
      inHand: (limit) => read(() => inner.directory.inHand(limit)),
      find: (tenant, id) => read(() => inner.directory.find(tenant, id)),
    },
  }
}

const fingerprint = ({ data }: SimulationContext, { key }: Lease): string => {
  const session = data.sessions.get(keyText(key))
  return session ? textOf(session) : ''
}

const textOf = ({ events, answers, row, wake, removed }: MemorySession): string =>
  JSON.stringify([events.length, events.at(-1), answers.size, row, wake, removed])

const never = <T>(): Promise<T> => new Promise(() => {})
