// The rows of the matrix. A row is data: the fault, the programs that it needs, and a function that strikes and resolves when a
// server runs again. To add a row, add an entry.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CrashAgent, claudeCode, compactingAgent, delegatingAgent, durableFunction, modelAgent } from './agents.ts'
import { claudeEquipment, noClaudeCode } from './claude.ts'
import { cutConnections } from './cut-connections.ts'
import { checkDeposed } from './deposed.ts'
import { FillableDisk } from './disk.ts'
import { changesGuest } from './guests/changes.ts'
import type { GuestMaker } from './guests/guest.ts'
import { openHarnessGuest } from './guests/openharness.ts'
import { uploadingGuest } from './guests/uploads.ts'
import { FailingDiskLibrary, noCompiler } from './preload.ts'
import { checkReady, sendProbes } from './probes.ts'
import type { CrashWorld } from './world.ts'

export interface Fault {
  readonly name: string
  /** A sentence for the page. */
  readonly what: string
  /** The agent of the sessions; absent: the scripted one. */
  readonly agent?: CrashAgent
  /** Why the row cannot be played on this machine; null when it can. */
  readonly missing?: () => string | null
  /** Prepared before the server starts, and removed at the end. */
  readonly prepare?: (folder: string) => FaultEquipment | Promise<FaultEquipment>
  /** Another user of the server; absent: none. */
  readonly guest?: GuestMaker
  /** The turn of the chats that is struck; absent: the first. */
  readonly turn?: 'second'
  /** Before the sessions of a round begin. */
  readonly begin?: (world: CrashWorld) => Promise<void>
  readonly strike: (world: CrashWorld, equipment: FaultEquipment) => Promise<void>
}

export interface FaultEquipment {
  readonly env?: NodeJS.ProcessEnv
  readonly preload?: FailingDiskLibrary
  readonly disk?: FillableDisk
  /** How the fault is played on this machine. */
  readonly note?: string
  readonly remove?: () => void
}

const scriptedFaults: readonly Fault[] = [
  {
    name: 'kill -9',
    what: 'The server is killed at any moment, and started again.',
    strike: async ({ server }) => {
      await server.kill('SIGKILL')
      await server.boot()
    },
  },
  {
    name: 'kill -9 while it starts',
    what: 'The server is killed; the next one is killed while it starts, at any moment.',
    strike: async ({ server, chance }) => {
      await server.kill('SIGKILL')
      const started = server.boot().catch(() => {})
      await sleep(chance.int(100, 800))
      await server.kill('SIGKILL')
      await started
      await server.boot()
    },
  },
  {
    name: 'SIGTERM',
    what: 'The server is asked to stop, ends with code 0, and is started again.',
    strike: async ({ server, tally }) => {
      const code = await server.kill('SIGTERM')
      tally.check('8', code === 0, () => `SIGTERM ended the server with ${code}`)
      await server.boot()
    },
  },
  {
    name: 'SIGSTOP',
    what: 'The server is stopped for a moment, and continues.',
    strike: async ({ server, chance }) => {
      server.signal('SIGSTOP')
      await sleep(chance.int(50, 500))
      server.signal('SIGCONT')
    },
  },
  {
    name: 'SIGSTOP, and another takes over',
    what: 'The server is stopped, its lock is lost (as on a file system that forgets locks), a second server opens the folder, and the first continues.',
    strike: async (world) => {
      const old = world.server
      old.signal('SIGSTOP')
      const next = world.newServer()
      for (let tries = 0; ; tries++) {
        rmSync(join(world.data, 'lock'), { force: true })
        const isThere = await next.boot().then(
          () => true,
          () => false,
        )
        if (isThere) break
        if (tries === TAKEOVERS_MAX) throw new Error('The second server cannot open the folder.')
        // The first one was stopped in the middle of a transaction: SQLite's locks hold until it has ended.
        old.signal('SIGCONT')
        await sleep(20)
        old.signal('SIGSTOP')
      }
      world.moveTo(next)
      await checkDeposed(world, old)
    },
  },
  cutConnections,
  {
    name: 'full disk',
    what: 'The disk is full while turns run; in half of the rounds the server is killed before there is room again.',
    missing: () => FillableDisk.missing(),
    prepare: (folder) => {
      const disk = FillableDisk.make(folder)
      return {
        disk,
        note: disk.note,
        ...(disk.preload && { preload: disk.preload, env: disk.preload.env }),
        remove: () => disk.remove(),
      }
    },
    strike: async (world, { disk }) => {
      disk?.fill()
      await sleep(world.chance.int(0, 200))
      const probes = await sendProbes(world)
      await checkReady(world)
      if (world.chance.chance(0.5)) {
        await world.server.kill('SIGKILL')
        disk?.free()
        await world.server.boot()
      } else disk?.free()
      await probes.check()
    },
  },
  {
    name: 'power cut',
    what: 'The server is killed, and everything that was not synced is gone from its files.',
    missing: noCompiler,
    prepare: (folder) => preloaded(folder),
    strike: async (world, { preload }) => preload?.powerCut(world),
  },
  ...[1, 2].map(
    (times): Fault => ({
      name: times === 1 ? 'failed fsync' : 'failed fsync, twice in a row',
      what: `${times === 1 ? 'One sync fails' : 'Two syncs in a row fail'} and the kernel forgets the pages; the server continues, and then the power is cut.`,
      missing: noCompiler,
      prepare: (folder) => preloaded(folder),
      strike: async (world, { preload }) => preload?.failSyncs(world, times),
    }),
  ),
]

const kill = scriptedFaults[0] as Fault

const durableFaults = (
  [
    ['durable function', durableFunction],
    ['model agent', modelAgent],
  ] as const
).flatMap(([kind, agent]): Fault[] => [
  ...scriptedFaults
    .filter(({ name }) => name !== 'SIGSTOP' && name !== 'failed fsync, twice in a row')
    .map((fault) => ({ ...fault, agent, name: `${fault.name} (${kind})` })),
  {
    ...{ ...kill, agent, name: `kill -9 in the second turn (${kind})`, turn: 'second' },
    what: 'The server is killed at any moment of the second turn of each chat, which does the same work as the first.',
  },
  {
    ...{ agent, name: `kill -9 twice in a turn (${kind})` },
    what: 'The server is killed at any moment, started, and killed again within a third of a second of being ready.',
    strike: async ({ server, chance }) => {
      for (let strikes = 0; strikes < 2; strikes++) {
        await server.kill('SIGKILL')
        await server.boot()
        if (strikes === 0) await sleep(chance.int(0, 300))
      }
    },
  },
])

/** Kills while more happens than three sessions. */
const companyFaults: readonly Fault[] = [
  {
    ...{ ...kill, agent: delegatingAgent, name: 'kill -9 with sub-agents (model agent)' },
    what: 'The server is killed at any moment of turns that give a part of their work to a sub-agent.',
  },
  {
    ...{ ...kill, agent: compactingAgent, name: 'kill -9 with compaction (model agent)' },
    what: 'The server is killed at any moment of turns that fill the window of their model and continue from a summary.',
  },
  {
    ...{ ...kill, agent: durableFunction, guest: uploadingGuest, name: 'kill -9 with uploads (durable function)' },
    what: 'The server is killed while a file of 200,000 bytes is uploaded or a run reads it.',
  },
  {
    ...{ ...kill, agent: durableFunction, guest: changesGuest, name: 'kill -9 with /changes (durable function)' },
    what: 'The server is killed while a client of each tenant folds its list of sessions from `/changes`.',
  },
  {
    ...{
      ...kill,
      agent: durableFunction,
      guest: openHarnessGuest,
      name: 'kill -9 with OpenHarness (durable function)',
    },
    what: 'The server is killed while a shell of OpenHarness waits for its answer.',
  },
  {
    ...{ ...kill, agent: claudeCode, name: 'kill -9 (Claude Code)', missing: noClaudeCode, prepare: claudeEquipment },
    what: 'The server is killed at any moment of turns of the real engine, which continue without it. Their provider is a stub.',
  },
]

export const faults: readonly Fault[] = [...scriptedFaults, ...durableFaults, ...companyFaults]

const TAKEOVERS_MAX = 10

const preloaded = (folder: string): FaultEquipment => {
  const preload = FailingDiskLibrary.make(folder)
  return { preload, env: preload.env }
}
