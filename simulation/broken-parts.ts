// Parts that are wrong on purpose. A check that none of these can fail would be worth nothing.
import type { Event } from '@bridle/kernel/event'
import type { MemoryStore } from '@bridle/kernel/memory/memory-store'
import type { Directory } from '@bridle/kernel/ports/directory'
import type { Log, LogAppend } from '@bridle/kernel/ports/log'
import { type CommittedChange, Subscribers } from '@bridle/kernel/session/subscribers'
import type { SimulationContext } from './ground.ts'

interface BrokenStore {
  readonly name: string
  /** The promises it breaks: a run must name one of them. */
  readonly breaks: readonly (number | string)[]
  readonly breakStore: NonNullable<SimulationContext['breakStore']>
}

const withLog =
  (part: (store: MemoryStore, ground: SimulationContext) => Partial<Log>): BrokenStore['breakStore'] =>
  (store, ground) => ({ ...store, log: { ...store.log, ...part(store, ground) } })

const withDirectory =
  (part: (store: MemoryStore) => Partial<Directory>): BrokenStore['breakStore'] =>
  (store) => ({ ...store, directory: { ...store.directory, ...part(store) } })

export const brokenStores: readonly BrokenStore[] = [
  {
    name: 'acknowledges before it writes',
    breaks: [1],
    breakStore: withLog(({ log }, { schedule }) => ({
      append: async (lease, append) => {
        schedule.after(20, () => void log.append(lease, append).catch(() => {}))
      },
    })),
  },
  {
    name: 'has no fence',
    breaks: [4],
    breakStore: withLog(({ log }, { data }) => ({
      append: (lease, append) => log.append({ ...lease, epoch: data.epoch }, append),
    })),
  },
  {
    name: 'keeps no answers',
    breaks: [6],
    breakStore: withLog(({ log }) => ({
      append: (lease, { results, ...append }) =>
        append.events.length === 0 ? Promise.resolve() : log.append(lease, append as LogAppend),
    })),
  },
  {
    name: 'loses an event in the middle of a page',
    breaks: [2, 3, 14],
    breakStore: withLog(({ log }) => ({
      read: async (key, after, limit) => without(await log.read(key, after, limit), 3),
    })),
  },
  {
    name: 'does not keep the time to wake at',
    breaks: [8],
    breakStore: withLog(({ log }) => ({
      append: (lease, { wake, ...append }) => log.append(lease, append),
    })),
  },
  {
    name: 'forgets that a removed session had numbers',
    breaks: [3],
    breakStore: withLog(({ log }, { data }) => ({
      remove: async (key) => {
        const removed = await log.remove(key)
        data.tombstones.clear()
        return removed
      },
    })),
  },
  {
    name: 'lists nothing that was in hand when its owner died',
    breaks: [8],
    breakStore: withDirectory(() => ({ inHand: async () => [] })),
  },
]

/** A host whose subscribers now and then miss a change. Returns how to mend it. */
export const skipChanges = (): (() => void) => {
  const { publish } = Subscribers.prototype
  let changes = 0
  Subscribers.prototype.publish = function (this: Subscribers, change: CommittedChange) {
    if (++changes % 50 !== 0) publish.call(this, change)
  }
  return () => {
    Subscribers.prototype.publish = publish
  }
}

const without = (events: Event[], index: number): Event[] =>
  events.length > index + 1 ? events.filter((_, each) => each !== index) : events
