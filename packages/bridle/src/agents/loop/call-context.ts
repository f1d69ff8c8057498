// A run as its calls need it.
import { decideAfter } from './calls/call-hooks.ts'
import type { CallContext } from './calls/calls.ts'
import { hookContext } from './hooks/hook-context.ts'
import type { LoopRun } from './loop-run.ts'

export const callContext = (run: LoopRun): CallContext => {
  const { reporter, ports, controls, definition, job } = run
  const { use } = definition
  return {
    ...{ key: job.key, reporter, clock: ports.clock, signal: controls.signal, toolMs: definition.limits.toolMs },
    ...(use.some(({ after }) => after !== undefined) && {
      after: (call, result) => decideAfter(use, hookContext(run), call, result),
    }),
  }
}
