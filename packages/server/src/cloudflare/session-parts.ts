import { present } from '@bridle/events/json'
import { Host } from '@bridle/kernel/host/host'
import type { Log } from '@bridle/kernel/ports/log'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { ArtifactBucket } from '@bridle/stores/object/artifact-bucket'
import { BucketNames } from '@bridle/stores/object/bucket-names'
import { DirectoryOutbox } from '@bridle/stores/object/directory-outbox'
import { nextWake } from '@bridle/stores/object/next-wake'
import { objectDriver } from '@bridle/stores/object/object-driver'
import { sessionObjectMigrations } from '@bridle/stores/object/object-schema'
import { remoteDirectory } from '@bridle/stores/object/remote-directory'
import { tenantDirectory } from '@bridle/stores/object/shards'
import { spendRows } from '@bridle/stores/object/spend-rows'
import { withStoreFaults } from '@bridle/stores/object/store-faults'
import { sqliteStore } from '@bridle/stores/sqlite/sqlite-store'
import { noTail } from '@bridle/stores/sqlite/tail'
import { ClaimedUploads } from '@bridle/stores/uploads/claimed-uploads'
import { remoteUploads } from '@bridle/stores/uploads/remote-uploads'
import { socketWires } from '@bridle/surfaces/all'
import type { AppPorts } from '@bridle/surfaces/app'
import { composeApp } from '../compose-app.ts'
import { createSandboxProvider } from './agents/engines.ts'
import { InvocationHops } from './agents/invocation-hops.ts'
import { sandboxFiles } from './agents/sandbox-files.ts'
import { createWorkerAgents } from './agents/worker-agents.ts'
import { AlarmSchedule } from './alarms/alarm-schedule.ts'
import { ObjectClock, runClock } from './alarms/object-clock.ts'
import { signingSecret } from './credentials/signing-secret.ts'
import { SpendLedgers } from './credentials/spend-ledgers.ts'
import { devReporter } from './dev-reports.ts'
import { workerFileFetcher } from './file-fetching.ts'
import { forwardedAccess } from './peers/forwarded-request.ts'
import { createParentNotifier, type ParentNotice, peerChildren } from './peers/peer-children.ts'
import { peerSessions } from './peers/peer-sessions.ts'
import { digest } from './platform/digest.ts'
import {
  type HarnessEnv,
  type HarnessOptions,
  heartbeatMsFrom,
  shardCountsFrom,
  uploadPlatform,
} from './platform/options.ts'
import type { DurableStorage, ObjectContext } from './platform/platform.ts'
import { Heartbeats } from './sockets/heartbeats.ts'
import { ObjectSockets } from './sockets/object-sockets.ts'
import { connectProvider } from './sockets/provider-socket.ts'

/** A streaming fetch is not guaranteed to keep an object in memory, so the alarm rings this often while a run is wanted. */
export const WATCHDOG_MS = 30_000
/** Longer than the pause between two tokens, so that a stream does not serialize its sockets for each. */
const HIBERNATE_AFTER_MS = 250

/** Sent with every request, because the platform may not expose them. */
interface ObjectPlace {
  home: string
  origin: string
}

export const composeObject = (ctx: ObjectContext, env: HarnessEnv, options: HarnessOptions) => {
  const { storage } = ctx
  const clock = new ObjectClock()
  const now = () => clock.now()
  const place: ObjectPlace = { home: ctx.id.name ?? '', origin: '' }
  const driver = objectDriver(storage, sessionObjectMigrations)
  const store = sqliteStore(driver, driver.epoch, noTail)
  const alarmSchedule = new AlarmSchedule({
    storage,
    nextWake: (at) => nextWake(driver, at),
    now,
    watchdogMs: options.watchdogMs ?? WATCHDOG_MS,
  })
  const retry = (what: string) => (at: number | null) => alarmSchedule.setRetry(what, at)
  const sync = () => storage.sync()
  const outbox = new DirectoryOutbox({
    ...{ driver, now, log: store.log, retry: retry('directory') },
    directory: (tenant) => tenantDirectory(env.HARNESS_DIRECTORY, shardCountsFrom(env), tenant),
    home: () => place.home,
  })
  const bucket = env.HARNESS_ARTIFACTS ?? null
  const names = new BucketNames({ driver, bucket, now, sync, retry: retry('bucket') })
  const remote = remoteUploads(uploadPlatform(env))
  const uploads = new ClaimedUploads({ driver, now, remote, sync, retry: retry('uploads') })
  const artifacts = new ArtifactBucket(bucket, names)
  const logParts = { log: store.log, storage, outbox, alarmSchedule, artifacts, names, uploads }
  const log = withStoreFaults(objectLog(logParts), driver)
  const invocationHops = new InvocationHops({ hop: () => alarmSchedule.ringNow(), clock: runClock })
  const secret = signingSecret(env)
  const fileFetcher = workerFileFetcher(options.openharness)
  const directory = remoteDirectory(env.HARNESS_DIRECTORY, shardCountsFrom(env))
  const peers = { objects: env.HARNESS_SESSION, directory, home: () => place.home }
  const children = peerChildren(peers, () => host)
  const provider = createSandboxProvider(env, secret)
  const reports = devReporter(env, (work) => ctx.waitUntil(work))
  const registry = createWorkerAgents(options, env, {
    ...{ children, invocationHops, uploads, provider },
    voiceModel: (key) => lines.modelFor(key),
    onFailure: reports?.failure,
    credentials: { env, secret, home: peers.home, origin: () => env.BRIDLE_PUBLIC_URL ?? place.origin },
  })
  const takeChildNotice = ({ parent, notice }: ParentNotice): Promise<void> => host.takeChildNotice(parent, notice)
  let isHibernated = true
  const hibernateSoon = () => {
    if (!isHibernated || sockets.size === 0) return
    isHibernated = false
    clock.after(HIBERNATE_AFTER_MS, () => {
      isHibernated = true
      sockets.hibernate()
    })
  }
  const host = new Host({
    ...{ log, clock, digest, directory: store.directory },
    // The runtime's clock stands still while code runs, so a turn has no measurable length.
    eventLoop: { now: () => 0, nextTurn: () => new Promise((resolve) => setTimeout(resolve, 0)) },
    runner: (agent) => registry.runnerOf(agent),
    notifyParent: createParentNotifier(peers, takeChildNotice),
    cancelChild: (child, parent) => children.cancel(child, parent),
    answerChild: (answer) => children.answer(answer),
    ...present({ tokenPaceMs: options.tokenPaceMs }),
    onCommit: (key, events) => {
      hibernateSoon()
      heartbeats.update()
      invocationHops.countSteps(key, events)
      reports?.commit(key, events)
    },
    onFault: (key, cause) =>
      console.error(
        ...(key ? ['session stopped', key.id] : ['due sessions could not be looked for']),
        cause instanceof Error ? cause.message : cause,
      ),
  })
  const { app, lines } = composeApp({
    ...{ env, options, host, clock, uploads, directory: store.directory },
    agents: registry.agents,
    hasModel: (agent) => registry.hasModel(agent),
    // The provider's socket keeps the object in memory anyway, so its timer may too.
    ...{ lineClock: runClock, connect: connectProvider },
    behindGateway: true,
    relatedSessions: peerSessions(peers, store.directory, clock),
    authenticator: forwardedAccess,
    signingSecret: secret,
    ...(provider.findOwn && { workspaceFiles: sandboxFiles(provider, registry.agents) }),
    heartbeatMs: 0,
    ...present({ streamMs: options.streamMs, openharness: options.openharness }),
    ...(fileFetcher && { fileFetcher }),
  })
  const heartbeatMs = options.heartbeatMs ?? heartbeatMsFrom(env)
  const { deadAfterMs } = options
  const sendsHeartbeats = heartbeatMs !== undefined && heartbeatMs > 0
  const sockets = new ObjectSockets<AppPorts>(ctx, socketWires, { clock, deadAfterMs, sendsHeartbeats })
  const heartbeats = new Heartbeats({ heartbeatMs, deadAfterMs }, { sockets, alarmSchedule, now })
  return {
    ...{ place, clock, log, host, app, sockets, heartbeats, alarmSchedule, takeChildNotice },
    ...{ outbox, bucketNames: names, uploads },
    spendLedgers: new SpendLedgers(spendRows(driver)),
    isBlank: driver.isBlank(),
  }
}

interface ObjectLogPorts {
  readonly log: Log
  readonly storage: DurableStorage
  readonly outbox: DirectoryOutbox
  readonly alarmSchedule: AlarmSchedule
  readonly artifacts: ArtifactBucket
  readonly names: BucketNames
  readonly uploads: ClaimedUploads
}

/** Append, alarm, directory mark and bucket names form one atomic write, durable when it resolves. */
const objectLog = ({ log, storage, outbox, alarmSchedule, artifacts, names, uploads }: ObjectLogPorts): Log => ({
  ...log,
  read: artifacts.reader(log),
  append: async (lease, request) => {
    // An unregistered session could not be found by its id.
    if (!lease.exists && request.row)
      await outbox.register(lease.key).catch((cause) => {
        throw new StoreFault('fenced', 'The directory could not be told of a new session.', cause)
      })
    const stored = await artifacts.storeLargeChunks(lease.key, request)
    const isNews = request.row !== undefined || !outbox.wasPublished(lease.key)
    try {
      // Mark first: if marking failed after the append, the directory would never learn of the change.
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
