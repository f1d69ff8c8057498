// Keys pressed while the command starts and connects. They go to the chat's input line.
import { CTRL_C } from '../../terminal/interruption.ts'
import { PASTE_OFF, PASTE_ON } from './terminal-input.ts'

export interface EarlyKeys {
  /** Returns the keys. The caller reads the terminal from here on. */
  readonly take: () => string
  /** Restores the terminal unless the keys were taken. */
  readonly release: () => void
}

export const holdKeys = (): EarlyKeys => {
  const { stdin, stdout } = process
  let parts: Buffer[] = []
  let isHeld = true
  const keep = (part: Buffer) => {
    parts.push(part)
    if (!part.includes(CTRL_C)) return
    parts = []
    process.kill(process.pid, 'SIGINT')
  }
  const end = () => {
    isHeld = false
    stdin.off('data', keep)
  }
  stdin.setRawMode(true)
  stdin.on('data', keep)
  stdin.resume()
  // Erase keys that the terminal already echoed. The input line shows them again.
  stdout.write(`\r\u001b[K${PASTE_ON}`)
  return {
    take: () => {
      end()
      // In cooked mode, the terminal converted Enter to a newline.
      return Buffer.concat(parts).toString('utf8').replaceAll('\n', '\r')
    },
    release: () => {
      if (!isHeld) return
      end()
      stdin.setRawMode(false)
      stdin.pause()
      stdout.write(PASTE_OFF)
    },
  }
}
