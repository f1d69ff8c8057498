// Effects that outlive the server: each call of a model or a tool that really happens is a line in a file of the test. A gate is
// a file, too: an agent that reaches a closed gate waits there, and the test kills the server at that very point.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Effect {
  readonly kind: 'model' | 'call' | 'step' | 'hook'
  readonly place: string
  readonly name: string
  /** The step key of a call or a step; the hash of the request to a model; the session or call that middleware decides about. */
  readonly key: string
}

export interface EffectLine extends Effect {
  /** `begin` is written before the effect, `end` after it. */
  readonly phase: 'begin' | 'end'
  readonly at: number
  readonly pid: number
}

/** The name of the variable that tells agents of the folder. */
export const EFFECTS_FOLDER = 'BRIDLE_TEST_EFFECTS'
const POLL_MS = 5

const folder = (): string => process.env[EFFECTS_FOLDER] ?? ''
const effectsFile = (within: string): string => join(within, 'effects.jsonl')
const gateFile = (within: string, place: string, point: string, state: 'closed' | 'reached'): string =>
  join(within, `${place}.${point}.${state}`)

export const recordEffect = (effect: Effect, phase: EffectLine['phase']): void => {
  const file = openSync(effectsFile(folder()), 'a')
  appendFileSync(file, `${JSON.stringify({ ...effect, phase, at: Date.now(), pid: process.pid })}\n`)
  fsyncSync(file)
  closeSync(file)
}

/** Waits here as long as the test keeps the gate closed. */
export const passGate = async (place: string, point: string): Promise<void> => {
  const closed = gateFile(folder(), place, point, 'closed')
  if (!existsSync(closed)) return
  writeFileSync(gateFile(folder(), place, point, 'reached'), String(process.pid))
  while (existsSync(closed)) await sleep(POLL_MS)
}

/** An effect with a gate before it happens (`.during`) and a gate after it (`.done`). */
export const performEffect = async (effect: Effect, paceMs = 0): Promise<string> => {
  recordEffect(effect, 'begin')
  if (paceMs > 0) await sleep(paceMs)
  await passGate(effect.place, `${effect.name}.during`)
  recordEffect(effect, 'end')
  if (paceMs > 0) await sleep(paceMs)
  await passGate(effect.place, `${effect.name}.done`)
  return `the receipt of ${effect.name}`
}

/** The test's side of the gates and effects. */
export const effectsIn = (within: string) => ({
  close: (place: string, point: string): void => writeFileSync(gateFile(within, place, point, 'closed'), ''),
  open: (place: string, point: string): void => rmSync(gateFile(within, place, point, 'closed'), { force: true }),
  /** The process that waits at the gate, or waited there last; null: nobody came. */
  reachedBy: (place: string, point: string): number | null => {
    const file = gateFile(within, place, point, 'reached')
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null
  },
  lines: (): EffectLine[] =>
    existsSync(effectsFile(within))
      ? readFileSync(effectsFile(within), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as EffectLine)
      : [],
})
