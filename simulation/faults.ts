// The rates of faults in a run. Each seed draws another mixture: a run with every fault at once hides as many bugs as it shows.
import type { Prng } from './prng.ts'

export interface FaultRates {
  /** Per store call. */
  slow: number
  full: number
  unknownDone: number
  unknownUndone: number
  readError: number
  crashBeforeWrite: number
  crashAfterWrite: number
  /** Per message of the remote runner. */
  cut: number
  duplicate: number
  lostReply: number
  forget: number
  ignoreAbort: number
  failAbort: number
  /** Weights of a world's steps. */
  crash: number
  takeover: number
  stop: number
  jump: number
  /** The store fails altogether for a while; a process freezes for a while without noticing. */
  outage: number
  freeze: number
  /** Wall clocks of two processes differ. */
  skewMs: number
}

export const noFaults: FaultRates = {
  slow: 0,
  full: 0,
  unknownDone: 0,
  unknownUndone: 0,
  readError: 0,
  crashBeforeWrite: 0,
  crashAfterWrite: 0,
  cut: 0,
  duplicate: 0,
  lostReply: 0,
  forget: 0,
  ignoreAbort: 0,
  failAbort: 0,
  crash: 0,
  takeover: 0,
  stop: 0,
  jump: 0,
  outage: 0,
  freeze: 0,
  skewMs: 0,
}

export const drawFaults = (prng: Prng): FaultRates => {
  const some = (most: number) => (prng.chance(0.5) ? 0 : prng.next() * most)
  return {
    slow: some(0.1),
    full: some(0.02),
    unknownDone: some(0.03),
    unknownUndone: some(0.03),
    readError: some(0.03),
    crashBeforeWrite: some(0.01),
    crashAfterWrite: some(0.02),
    cut: some(0.1),
    duplicate: some(0.2),
    lostReply: some(0.2),
    forget: some(1.5),
    ignoreAbort: some(0.6),
    failAbort: some(0.5),
    crash: some(3),
    takeover: some(3),
    stop: some(2),
    jump: some(3),
    outage: some(1),
    freeze: some(3),
    skewMs: prng.chance(0.5) ? 0 : prng.int(1, 5_000),
  }
}
