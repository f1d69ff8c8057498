// The log of an object: what the shared store writes, and what belongs into the same write: the alarm, a mark for the
// directory, and whose it is what lies in the bucket. It resolves when all of it is durable, so nothing that follows from it
// can leave before.
import { type Log, StoreFault } from '../../kernel/ports/store.ts'
import type { ArtifactBucket } from '../../stores/object/artifact-bucket.ts'
import type { BucketNames } from '../../stores/object/bucket-names.ts'
import type { DirectoryOutbox } from '../../stores/object/directory-outbox.ts'
import type { AlarmSchedule } from './alarms/alarm-schedule.ts'
import type { DurableStorage } from './platform.ts'

export interface ObjectLogPorts {
  readonly log: Log
  readonly storage: DurableStorage
  readonly outbox: DirectoryOutbox
  readonly alarmSchedule: AlarmSchedule
  readonly artifacts: ArtifactBucket
  readonly names: BucketNames
}

export const objectLog = ({ log, storage, outbox, alarmSchedule, artifacts, names }: ObjectLogPorts): Log => ({
  ...log,
  read: artifacts.reader(log),
  append: async (lease, given) => {
    // A session that the directory does not know of could not be found again by its id.
    if (!lease.exists && given.row)
      await outbox.register(lease.key).catch((cause) => {
        throw new StoreFault('fenced', 'The directory could not be told of a new session.', cause)
      })
    const stowed = await artifacts.storeLargeChunks(lease.key, given)
    const isNews = given.row !== undefined || !outbox.wasPublished(lease.key)
    try {
      // First: had it failed behind a write that did not, nobody would be told of what is there.
      if (isNews) outbox.mark(lease.key)
      await log.append(lease, stowed.append)
    } catch (fault) {
      names.release(stowed.names)
      throw fault
    }
    names.commit(lease.key, stowed.names)
    if (given.wake) alarmSchedule.update()
    await storage.sync()
    if (isNews) void outbox.publish()
  },
  remove: async (key) => {
    outbox.mark(key)
    const wasThere = await log.remove(key)
    alarmSchedule.update()
    names.scheduleCleanup()
    await storage.sync()
    void names.cleanUp()
    await outbox.publish()
    return wasThere
  },
})
