// Ten thousand background sessions in one store: a sleeping session must cost nothing, and a branch must not cost its history.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isRefusal } from '@bridle/kernel/commands'
import type { Event } from '@bridle/kernel/event'
import type { Host } from '@bridle/kernel/host/host'
import { healthFold } from '@bridle/kernel/projections/health/health'
import { fold } from '@bridle/kernel/projections/projection'
import { openSqlite } from '@bridle/stores/data-folder'
import { type BenchFigure, figure, interleave } from './figure.ts'
import { fill, hostOn, keyOf } from './world.ts'

const SLEEPING = 10_000
const DUE = 100

export const background = async (): Promise<BenchFigure[]> => {
  setFlagsFromString('--expose_gc')
  const gc = runInNewContext('gc') as () => void
  const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-'))
  const full = await openSqlite(join(folder, 'full'))
  const few = await openSqlite(join(folder, 'few'))
  try {
    const makers = { full: hostOn(full), few: hostOn(few) }
    await sleepers(makers.full, SLEEPING)
    await sleepers(makers.few, DUE)
    await makers.full.stop()
    await makers.few.stop()

    const scans = await interleave({
      'scan of 10,000 (us CPU)': {
        run: async () => {
          const host = hostOn(full)
          const before = process.cpuUsage()
          await host.start()
          const { user, system } = process.cpuUsage(before)
          const verified = host.counts().sessions === 0
          await host.stop()
          return { value: user + system, verified }
        },
      },
      'limit (us)': { run: async () => ({ value: 1_000_000, verified: true }) },
      'claim of 100 due among 10,000 (us CPU)': { run: () => woken(full) },
      'claim of 100 due among 100 (us CPU)': { run: () => woken(few) },
    })

    const heap = await interleave({
      'heap with 10,000 asleep (bytes)': { run: () => heapOf(full, gc) },
      'heap with 100 asleep (bytes)': { run: () => heapOf(few, gc) },
    })

    const maker = hostOn(full)
    await fill(maker, 'short', 10_000, 500)
    await fill(maker, 'long', 100_000, 500)
    await maker.stop()
    let branches = 0
    const branched = (id: string, seq: number) => async () => {
      const host = hostOn(full)
      // Load the session first: a person who branches a session has it open.
      await host.open(keyOf(id))
      // Processor time of this process: a busy machine or a slow disk says nothing about history.
      const before = process.cpuUsage()
      const answer = await host.branch(keyOf(id), seq, `branch-${branches++}`)
      const { user, system } = process.cpuUsage(before)
      await host.stop()
      return { value: user + system, verified: !isRefusal(answer) }
    }
    const branching = await interleave({
      'branch at 90,000 of 100,000 (us CPU)': { run: branched('long', 90_000) },
      'branch at 9,000 of 10,000 (us CPU)': { run: branched('short', 9_000) },
      'limit (us)': { run: async () => ({ value: 20_000, verified: true }) },
    })

    const events = (await full.log.read(keyOf('long'), 99_000, 1_000)) as Event[]
    const early = (await full.log.read(keyOf('long'), 0, 1_000)) as Event[]
    const folding = await interleave({
      'health fold, late events (us)': { run: async () => folded(events, 1_000) },
      'health fold, first events (us)': { run: async () => folded(early, 1_000) },
    })
    return [
      figure(scans, ['scan of 10,000 (us CPU)', 'limit (us)'], {
        id: 'K1',
        what: 'start-up with 10,000 sleeping background sessions / 1 s of CPU',
        target: 1,
        better: 'lower',
      }),
      figure(scans, ['claim of 100 due among 10,000 (us CPU)', 'claim of 100 due among 100 (us CPU)'], {
        id: 'K2',
        what: 'claiming 100 due sessions: among 10,000 / among 100',
        target: 1.5,
        better: 'lower',
      }),
      figure(heap, ['heap with 10,000 asleep (bytes)', 'heap with 100 asleep (bytes)'], {
        id: 'K3',
        what: 'heap after start-up: 10,000 sleeping sessions / 100',
        target: 1.05,
        better: 'lower',
      }),
      figure(branching, ['branch at 90,000 of 100,000 (us CPU)', 'limit (us)'], {
        id: 'K4a',
        what: 'branch from event 90,000 of 100,000 / 20 ms of CPU',
        target: 1,
        better: 'lower',
      }),
      figure(branching, ['branch at 90,000 of 100,000 (us CPU)', 'branch at 9,000 of 10,000 (us CPU)'], {
        id: 'K4b',
        what: 'branch from event 90,000 of 100,000 / from 9,000 of 10,000',
        target: 2,
        better: 'lower',
      }),
      figure(folding, ['health fold, late events (us)', 'health fold, first events (us)'], {
        id: 'K5',
        what: 'health fold of 1,000 events: the last of 100,000 / the first',
        target: 1.5,
        better: 'lower',
      }),
    ]
  } finally {
    await full.close()
    await few.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Paused with a prompt in the queue and a day to live: the session needs no work until then. */
const sleeper = async (host: Host, id: string, expiresAt: number): Promise<void> => {
  await host.send(keyOf(id), { type: 'create', opening: { kind: 'background', expiresAt } })
  await host.send(keyOf(id), { type: 'pause' })
  await host.send(keyOf(id), { type: 'submit', prompt: 'later' })
}

const sleepers = async (host: Host, count: number): Promise<void> => {
  for (let made = 0; made < count; made += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - made) }, (_, index) =>
        sleeper(host, `asleep-${made + index}`, Date.now() + 86_400_000),
      ),
    )
}

type OpenStore = Awaited<ReturnType<typeof openSqlite>>
let times = 0

/** A hundred sessions fall due while no host runs; the next host finds and ends them. */
const woken = async (store: OpenStore): Promise<{ value: number; verified: boolean }> => {
  const maker = hostOn(store)
  const due = Date.now() + 500
  const ids = Array.from({ length: DUE }, () => `due-${times++}`)
  await Promise.all(ids.map((id) => sleeper(maker, id, due)))
  await maker.stop()
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - Date.now()) + 5))
  const host = hostOn(store)
  const before = process.cpuUsage()
  await host.openDue()
  const { user, system } = process.cpuUsage(before)
  const verified = host.counts().sessions === DUE
  await host.stop()
  return { value: user + system, verified }
}

const heapOf = async (store: OpenStore, gc: () => void): Promise<{ value: number; verified: boolean }> => {
  const host = hostOn(store)
  await host.start()
  gc()
  const value = process.memoryUsage().heapUsed
  await host.stop()
  return { value, verified: true }
}

const folded = (events: readonly Event[], repeat: number): { value: number; verified: boolean } => {
  const started = performance.now()
  let state = healthFold.initial
  for (let time = 0; time < repeat; time++)
    for (const event of events) state = fold(healthFold, state, event as Parameters<typeof fold>[2])
  return { value: ((performance.now() - started) * 1_000) / repeat, verified: state !== healthFold.initial }
}
