// Ctrl+C detaches from a run. A second one soon after cancels it.
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { CTRL_C } from '../terminal/interruption.ts'
import type { CliOutput } from '../terminal/output.ts'

/** Long enough to read the line that explains it. */
const CANCEL_WINDOW_MS = 2_000

/** `unknown`: the server did not respond. */
export type LeftRunState = 'cancelled' | 'continues' | 'ended' | 'unknown'

/** Cancels the run on a second Ctrl+C. The run may also end during the wait. */
export const leaveRun = async (
  out: CliOutput,
  fabric: FabricClient,
  { id, agent, runId }: { readonly id: string; readonly agent?: string | undefined; readonly runId: string },
): Promise<LeftRunState> => {
  if (!out.canAsk) return 'continues'
  out.note('Leaving. Press Ctrl+C again within 2 seconds to cancel the run.')
  if (!(await isInterruptedAgain())) {
    const card = await fabric.session(id, agent).catch(() => null)
    if (card === null) return 'unknown'
    return card.queued > 0 || card.runId === runId ? 'continues' : 'ended'
  }
  const { cancelled } = await fabric.cancel(id, present({ agent, runId }))
  out.note(cancelled ? `Cancelled, session ${id}` : `The run had ended already, session ${id}`)
  return 'cancelled'
}

/** True on a second Ctrl+C within a moment; other keys end the wait. Raw mode tells it from a signal that npm forwards twice. */
const isInterruptedAgain = async (): Promise<boolean> => {
  const { stdin } = process
  if (!stdin.isTTY) return false
  const { promise: pressed, resolve } = Promise.withResolvers<boolean>()
  const onKeys = (keys: Buffer) => resolve(keys.includes(CTRL_C))
  const timer = setTimeout(resolve, CANCEL_WINDOW_MS, false)
  stdin.setRawMode(true)
  stdin.on('data', onKeys)
  stdin.resume()
  try {
    return await pressed
  } finally {
    clearTimeout(timer)
    stdin.off('data', onKeys)
    stdin.setRawMode(false)
    stdin.pause()
  }
}
