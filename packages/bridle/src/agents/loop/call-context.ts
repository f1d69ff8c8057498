// A run as its calls need it.
import { decideAfter } from './calls/call-hooks.ts'
import type { CallContext } from './calls/calls.ts'
import type { LoopRun } from './loop-run.ts'
import { FIND_TOOLS, foundIn } from './selection/find-tools.ts'
import { isLoopTool } from './toolset/loop-tools.ts'
import { foundItem } from './toolset/offer.ts'

export const callContext = (run: LoopRun): CallContext => {
  const { reporter, ports, controls, definition, job } = run
  const { key, runId, attempt } = job
  const { onFailure } = ports
  return {
    ...{ key, reporter, clock: ports.clock, signal: controls.signal, toolMs: definition.limits.toolMs },
    ...(onFailure && { onThrown: (error, tool) => onFailure({ key, runId, attempt, error, tool }) }),
    consequences: (tool, result) =>
      tool.name === FIND_TOOLS && isLoopTool(tool) ? foundItem(run, foundIn(result)) : [],
    ...(definition.use.some(({ after }) => after !== undefined) && {
      after: (call, result) => decideAfter(run, call, result),
    }),
  }
}
