// Ctrl+C leaves a run, which continues. A second Ctrl+C within a moment cancels it.
import type { OperatorClient } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import type { CliOutput } from '../terminal/output.ts'
import { isInterruptedAgain } from '../terminal/second-interrupt.ts'

export interface LeftRun {
  readonly id: string
  readonly agent?: string | undefined
  /** Absent = the run in progress. */
  readonly runId?: string | undefined
}

/** True = the person pressed Ctrl+C again, and the run is cancelled. */
export const cancelOnSecondInterrupt = async (
  out: CliOutput,
  fabric: OperatorClient,
  { id, agent, runId }: LeftRun,
): Promise<boolean> => {
  if (!out.canAsk) return false
  out.note('Leaving. Press Ctrl+C again within 2 seconds to cancel the run.')
  if (!(await isInterruptedAgain(out))) return false
  const { cancelled } = await fabric.cancel(id, present({ agent, runId }))
  out.note(cancelled ? `Cancelled, session ${id}` : `The run had ended already, session ${id}`)
  return true
}
