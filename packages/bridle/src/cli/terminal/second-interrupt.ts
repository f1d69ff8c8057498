// A second Ctrl+C, pressed a moment after the first.
import { CANCEL_WINDOW_MS } from '../limits.ts'
import type { CliOutput } from './output.ts'

/**
 * Waits a moment after a Ctrl+C. True = Ctrl+C was pressed again; any other key ends the wait. Where no person is at the terminal
 * nothing is waited for. In raw mode a key is a byte and no signal, so the signal of the first press that npm passes on once more
 * is not taken for a second press.
 */
export const isInterruptedAgain = async (out: CliOutput): Promise<boolean> => {
  const { stdin } = process
  if (!out.canAsk || !stdin.isTTY) return false
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
