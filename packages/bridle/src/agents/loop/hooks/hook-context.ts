// A run as the functions of its middleware need it.
import type { HookContext } from '../../middleware/running.ts'
import type { LoopRun } from '../loop-run.ts'
import { answerQuestion } from './question.ts'

/** Middleware has as much time as a tool: a turn must not hang. */
export const hookContext = (run: LoopRun): HookContext => {
  const { job, reporter, ports, controls, definition } = run
  return {
    ...{ job, reporter, clock: ports.clock, signal: controls.signal, ms: definition.limits.toolMs },
    ask: (question, signal) => answerQuestion(run, question, signal),
  }
}
