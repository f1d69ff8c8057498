// The log of an object: the shared store's append together with the alarm, the mark for the directory and the names in the
// bucket, as one write. An append resolves when all of it is durable, so no answer leaves before.
import type { Log } from '../../kernel/ports/log.ts'
import { StoreFault } from '../../kernel/ports/store-fault.ts'
import type { ArtifactBucket } from '../../stores/object/artifact-bucket.ts'
import type { BucketNames } from '../../stores/object/bucket-names.ts'
import type { DirectoryOutbox } from '../../stores/object/directory-outbox.ts'
import type { ClaimedUploads } from '../../stores/uploads/claimed-uploads.ts'
import type { AlarmSchedule } from './alarms/alarm-schedule.ts'
import type { DurableStorage } from './platform.ts'

export interface ObjectLogPorts {
  readonly log: Log
  readonly storage: DurableStorage
  readonly outbox: DirectoryOutbox
  readonly alarmSchedule: AlarmSchedule
  readonly artifacts: ArtifactBucket
  readonly names: BucketNames
  readonly uploads: ClaimedUploads
}

export const objectLog = ({ log, storage, outbox, alarmSchedule, artifacts, names, uploads }: ObjectLogPorts): Log => ({
  ...log,
  read: artifacts.reader(log),
  append: async (lease, request) => {
    // A session without a record in the directory could not be found by its id.
    if (!lease.exists && request.row)
      await outbox.register(lease.key).catch((cause) => {
        throw new StoreFault('fenced', 'The directory could not be told of a new session.', cause)
      })
    const stored = await artifacts.storeLargeChunks(lease.key, request)
    const isNews = request.row !== undefined || !outbox.wasPublished(lease.key)
    try {
      // The mark comes first: if it failed after the append, the directory would never hear of the change.
      if (isNews) outbox.mark(lease.key)
      await log.append(lease, stored.append)
    } catch (fault) {
      names.release(stored.names)
      throw fault
    }
    names.commit(lease.key, stored.names)
    if (request.wake) alarmSchedule.update()
    await storage.sync()
    if (isNews) void outbox.publish()
  },
  remove: async (key) => {
    outbox.mark(key)
    const wasThere = await log.remove(key)
    alarmSchedule.update()
    names.scheduleCleanup()
    uploads.release(key)
    await storage.sync()
    void names.cleanUp()
    void uploads.cleanUp()
    await outbox.publish()
    return wasThere
  },
})
