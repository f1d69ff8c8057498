// Plays the rounds of a fault and counts, for each promise, how often it was checked and how often it was broken.
import { ServerStartError } from '@bridle/server/tests/server-process.suite'
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
  /** Where the harness gave up. Such a row proves nothing. */
  readonly harnessErrors: readonly string[]
  /** How this machine played the fault, where there are several ways. */
  readonly note?: string | undefined
  /** The folder to inspect when a promise was broken. */
  readonly folder?: string
}

export const playRow = async (fault: Fault, rounds: number, seed: number): Promise<RowResult> => {
  const skipped = fault.missing?.() ?? null
  if (skipped !== null) return { fault, rounds: 0, skipped, looks: {}, broken: [], harnessErrors: [] }
  let equipment: FaultEquipment = {}
  const world = await CrashWorld.make(seed, fault.agent ?? scripted, async (folder) => {
    equipment = (await fault.prepare?.(folder)) ?? {}
    return equipment.env ?? {}
  })
  const guest = fault.guest?.(world)
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
      await world.round(played, {
        strike: () => fault.strike(world, equipment),
        turn: fault.turn ?? 'first',
        guest: guest?.round(played) ?? null,
      })
    }
    await world.finish()
    await guest?.finish?.()
  } catch (error) {
    const why = `round ${played + 1} could not be played: ${error instanceof Error ? error.stack : error}`
    // A server that does not start again after a fault has forgotten its sessions.
    if (error instanceof ServerStartError) world.tally.check('8', false, () => why)
    else world.tally.giveUp(why)
  } finally {
    await world.end(() => equipment.remove?.())
    process.off('exit', abandon)
  }
  const looks = Object.fromEntries(promiseIds.map((id) => [id, world.tally.checkCounts.get(id) ?? 0]))
  const { broken, harnessErrors } = world.tally
  const { note } = equipment
  const isKept = broken.length + harnessErrors.length > 0
  return { fault, rounds: played, looks, broken, harnessErrors, note, ...(isKept && { folder: world.folder }) }
}
