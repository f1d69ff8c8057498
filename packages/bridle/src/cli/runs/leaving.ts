// Ctrl+C leaves a run, which continues. A second Ctrl+C within a moment cancels it.
import type { FabricClient } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import type { CliOutput } from '../terminal/output.ts'
import { isInterruptedAgain } from '../terminal/second-interrupt.ts'

export interface LeftRun {
  readonly id: string
  readonly agent?: string | undefined
  readonly runId: string
}

/** The state of a run that was left; `unknown` = the server did not say it. */
export type LeftRunState = 'cancelled' | 'continues' | 'ended' | 'unknown'

/** Cancels the run where the person presses Ctrl+C again. The run may also end by itself while that is waited for. */
export const leaveRun = async (
  out: CliOutput,
  fabric: FabricClient,
  { id, agent, runId }: LeftRun,
): Promise<LeftRunState> => {
  if (!out.canAsk) return 'continues'
  out.note('Leaving. Press Ctrl+C again within 2 seconds to cancel the run.')
  if (!(await isInterruptedAgain(out))) {
    const card = await fabric.session(id, agent).catch(() => null)
    if (card === null) return 'unknown'
    return card.queued > 0 || card.runId === runId ? 'continues' : 'ended'
  }
  const { cancelled } = await fabric.cancel(id, present({ agent, runId }))
  out.note(cancelled ? `Cancelled, session ${id}` : `The run had ended already, session ${id}`)
  return 'cancelled'
}
