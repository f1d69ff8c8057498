// The keys that are pressed before a chat is there: while the command starts and connects. They belong into its input line.
import { PASTE_OFF, PASTE_ON } from './terminal-input.ts'

export interface EarlyKeys {
  /** The keys so far. The caller reads the terminal from here on. */
  readonly take: () => string
  /** Gives the terminal back, where nobody has taken the keys. */
  readonly release: () => void
}

export const holdKeys = (): EarlyKeys => {
  const { stdin, stdout } = process
  let parts: Buffer[] = []
  let isHeld = true
  const keep = (part: Buffer) => {
    parts.push(part)
    if (!part.includes(CTRL_C)) return
    // While the input is raw, Ctrl+C is a key like any other.
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
  // The terminal has shown the keys that were pressed before this: they are shown again in the input line.
  stdout.write(`\r\u001b[K${PASTE_ON}`)
  return {
    take: () => {
      end()
      // Before the input was raw, the terminal made a newline of Enter.
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

const CTRL_C = '\u0003'
