// The run of a durable function. A new run, one whose process ended and one that waited are the same: the function begins at its
// first line, and the log says what it has done.
import type { RunEnd } from '../../kernel/ports/runner.ts'
import type { AgentDefinition } from '../agent.ts'
import { callFunction } from '../functions/function-call.ts'
import type { DurableRun } from './durable-run.ts'
import { createDurableSession } from './durable-session.ts'

/** `over` ends what the function has begun: its result is there. */
export const runDurableFunction = async (
  definition: AgentDefinition,
  run: DurableRun,
  over: () => void,
): Promise<RunEnd> => {
  try {
    await run.load()
    // The process is about to end, or the run was cancelled meanwhile: the function must not begin.
    if (run.isLeft) return 'waiting'
    if (run.signal.aborted) return 'done'
    const { session, closing } = createDurableSession(run)
    const end = await Promise.race([callFunction(definition, run, session), run.left.then(() => null)])
    if (run.isLeft || end === null) return 'waiting'
    if (run.signal.aborted) return 'done'
    // Sleeps and waits for signals that are left never settle: one that rejected might end the process.
    run.close()
    over()
    await run.report(...(end.type === 'finished' ? closing() : []), end)
    return 'done'
  } finally {
    run.close()
  }
}
