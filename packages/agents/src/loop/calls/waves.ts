// Waves: the calls of one answer that run at the same time. The next wave begins when every call of the one before has ended.
import type { ToolEffect } from '@bridle/events/schemas'

/** Calls of one answer at the same time: enough to read a handful of files, and few enough for any service. */
const WAVE_MAX = 8

export interface WaveMember {
  readonly effect: ToolEffect
  /** The things that the call touches; null = unknown. */
  readonly resources: readonly string[] | null
}

/** Calls in their order, as waves. A call joins the wave before it where it can run beside all calls in there. */
export const planWaves = <T extends WaveMember>(calls: readonly T[]): T[][] => {
  const waves: T[][] = []
  for (const call of calls) {
    const last = waves.at(-1)
    if (last && last.length < WAVE_MAX && last.every((each) => canRunTogether(each, call))) last.push(call)
    else waves.push([call])
  }
  return waves
}

/** Reads do not disturb each other. Anything else only stays out of the way of calls that touch other things. */
const canRunTogether = (a: WaveMember, b: WaveMember): boolean => {
  if (a.effect === 'pure' && b.effect === 'pure') return true
  if (a.resources === null || b.resources === null) return false
  const touched = new Set(a.resources)
  return !b.resources.some((resource) => touched.has(resource))
}
