// A run as the functions of its middleware need it.
import type { HookContext } from '../middleware/running.ts'
import type { LoopRun } from './loop-run.ts'

/** Middleware has as much time as a tool: a turn must not hang. */
export const hookContext = ({ job, reporter, ports, controls, definition }: LoopRun): HookContext => ({
  ...{ job, reporter, clock: ports.clock, signal: controls.signal, ms: definition.limits.toolMs },
})
