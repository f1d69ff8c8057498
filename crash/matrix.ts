// Plays the rounds of a fault and counts, for each promise, how often it was checked and how often it was broken.
import { scripted } from './agents.ts'
import type { Fault, FaultEquipment } from './faults.ts'
import { type BrokenPromise, type PromiseId, promiseIds } from './promises.ts'
import { CrashWorld } from './world.ts'

export interface RowResult {
  readonly fault: Fault
  readonly rounds: number
  /** Why the row was not played. */
  readonly skipped?: string
  readonly looks: { readonly [promise in PromiseId]?: number }
  readonly broken: readonly BrokenPromise[]
  /** How this machine played the fault, where there are several ways. */
  readonly note?: string | undefined
  /** The folder to inspect when a promise was broken. */
  readonly folder?: string
}

export const playRow = async (fault: Fault, rounds: number, seed: number): Promise<RowResult> => {
  const skipped = fault.missing?.() ?? null
  if (skipped !== null) return { fault, rounds: 0, skipped, looks: {}, broken: [] }
  let equipment: FaultEquipment = {}
  const world = new CrashWorld(seed, fault.agent ?? scripted, (folder) => {
    equipment = fault.prepare?.(folder) ?? {}
    return equipment.env ?? {}
  })
  let played = 0
  // An interrupted run ends its servers and unmounts its disk.
  const abandon = () => {
    world.killAll()
    equipment.remove?.()
  }
  process.once('exit', abandon)
  try {
    await world.server.boot()
    for (; played < rounds; played++) {
      await fault.begin?.(world)
      await world.round(played, () => fault.strike(world, equipment))
    }
    await world.finish()
  } catch (error) {
    world.tally.check(
      '8',
      false,
      () => `round ${played + 1} cannot be played: ${error instanceof Error ? error.stack : error}`,
    )
  } finally {
    await world.end(() => equipment.remove?.())
    process.off('exit', abandon)
  }
  const looks = Object.fromEntries(promiseIds.map((id) => [id, world.tally.checkCounts.get(id) ?? 0]))
  const { broken } = world.tally
  const { note } = equipment
  return { fault, rounds: played, looks, broken, note, ...(broken.length > 0 && { folder: world.folder }) }
}
