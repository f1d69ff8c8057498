// The ground that all parts of a run share: random numbers, time, the store's raw data, and the report of a broken promise.

import type { MemoryData } from '@bridle/kernel/memory/memory-data'
import type { MemoryStore } from '@bridle/kernel/memory/memory-store'
import type { FaultRates } from './faults.ts'
import type { Prng } from './prng.ts'
import type { VirtualSchedule } from './schedule.ts'

export interface SimulationContext {
  readonly prng: Prng
  readonly schedule: VirtualSchedule
  readonly data: MemoryData
  /** Replaced by calm ones when the faults stop. */
  faults: FaultRates
  /** Every call of the store fails until this time. */
  outageUntil: number
  readonly trace: string[]
  readonly violations: Violation[]
  /** A deliberately broken part, to prove that the checks would see it. */
  readonly breakStore?: ((store: MemoryStore, ground: SimulationContext) => MemoryStore) | undefined
  /** Functions begin again without what the log says of them. */
  readonly breakFunctions?: boolean | undefined
}

/** `promise` is a number of the design's list, or the name of an invariant. */
export interface Violation {
  readonly promise: number | string
  readonly text: string
}

export const note = (ground: SimulationContext, text: string): void => {
  ground.trace.push(`${ground.schedule.now.toFixed(0).padStart(8)} ${text}`)
}

export const fail = (ground: SimulationContext, promise: number | string, text: string): void => {
  ground.violations.push({ promise, text })
  note(ground, `VIOLATION of ${promise}: ${text}`)
}

/** An arbitrary start of wall time; no date matters. */
export const EPOCH_MS = 1_700_000_000_000
