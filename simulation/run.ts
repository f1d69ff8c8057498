// A run made from a seed. The same seed makes the same run, to the last byte of the log.
import { hashText } from '@bridle/events/json'
import type { Violation } from './ground.ts'
import { comeToRest } from './liveness.ts'
import { SimulatedWorld, type WorldOptions } from './world.ts'

export interface SimulationResult {
  readonly seed: number
  readonly isNative: boolean
  readonly violations: readonly Violation[]
  readonly events: number
  readonly hash: string
  readonly trace: readonly string[]
}

export interface SimulationOptions extends WorldOptions {
  readonly steps?: number
}

export const simulate = async (
  seed: number,
  { steps = 300, ...options }: SimulationOptions = {},
): Promise<SimulationResult> => {
  const world = new SimulatedWorld(seed, options)
  const { violations, trace } = world.ground
  const onRejection = (cause: unknown) => {
    violations.push({
      promise: 'invariant',
      text: `nobody caught ${cause instanceof Error ? cause.stack : String(cause)}`,
    })
  }
  process.on('unhandledRejection', onRejection)
  try {
    for (let step = 0; step < steps && violations.length === 0; step++) await world.step()
    if (violations.length === 0) await comeToRest(world)
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  const { lives } = world.model
  return {
    seed,
    isNative: options.native === true,
    violations,
    events: lives.reduce((sum, { texts }) => sum + texts.length, 0),
    hash: hashText(JSON.stringify([lives.map(({ name, texts }) => [name, texts]), trace])),
    trace,
  }
}

/** The trace that a person needs to investigate a failure. */
export const formatResult = ({ seed, isNative, violations, trace }: SimulationResult, tail = 60): string =>
  [
    `Seed ${seed}:`,
    ...violations.slice(0, 5).map(({ promise, text }) => `  promise ${promise}: ${text}`),
    `The last ${Math.min(tail, trace.length)} of ${trace.length} lines:`,
    ...trace.slice(-tail),
    `Again: npm run simulate -- ${seed}${isNative ? ' --native' : ''}`,
  ].join('\n')
