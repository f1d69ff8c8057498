// Ctrl+C leaves a run, which continues. A second Ctrl+C within a moment cancels it.
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import type { CliOutput } from '../terminal/output.ts'

/** A second Ctrl+C within this time cancels the run: long enough to read the line that says so. */
const CANCEL_WINDOW_MS = 2_000

/** The state of a run that was left; `unknown` = the server did not say it. */
export type LeftRunState = 'cancelled' | 'continues' | 'ended' | 'unknown'

/** Cancels the run where the person presses Ctrl+C again. The run may also end by itself while that is waited for. */
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

/**
 * Waits a moment after a Ctrl+C. True = Ctrl+C was pressed again; any other key ends the wait. Where no person is at the terminal
 * nothing is waited for. In raw mode a key is a byte and no signal, so the signal of the first press that npm passes on once more
 * is not taken for a second press.
 */
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

const CTRL_C = '\u0003'
