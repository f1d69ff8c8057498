// The log of an object: what the shared store writes, and what belongs into the same write: the alarm, and a mark for the
// directory. It resolves when all of it is durable, so nothing that follows from it can leave before.
import { type Log, StoreFault } from '../../kernel/ports.ts'
import type { Outbox } from './outbox.ts'
import type { Storage } from './platform.ts'
import type { WakeTimes } from './wake-times.ts'

export const objectLog = (log: Log, storage: Storage, outbox: Outbox, wakeTimes: WakeTimes): Log => ({
  ...log,
  append: async (lease, append) => {
    // A session that the directory does not know of could not be found again by its id.
    if (!lease.exists && append.row)
      await outbox.register(lease.key).catch((cause) => {
        throw new StoreFault('fenced', 'The directory could not be told of a new session.', cause)
      })
    const isNews = append.row !== undefined || !outbox.isKnown(lease.key)
    // First: had it failed behind a write that did not, nobody would be told of what is there.
    if (isNews) outbox.mark(lease.key)
    await log.append(lease, append)
    if (append.wakeAt !== undefined || append.row) wakeTimes.arrange()
    await storage.sync()
    if (isNews) void outbox.tell()
  },
  remove: async (key) => {
    outbox.mark(key)
    const wasThere = await log.remove(key)
    wakeTimes.arrange()
    await storage.sync()
    await outbox.tell()
    return wasThere
  },
})
