import { StringDecoder } from 'node:string_decoder'
import { readKeys, type TerminalKey } from './keys.ts'

/** A lone escape after this is the Esc key. Terminals send a sequence at once. */
const ESCAPE_KEY_MS = 40

export interface TerminalInput {
  readonly start: () => void
  readonly feed: (text: string) => void
  readonly stop: () => void
}

export const terminalInput = (onKey: (key: TerminalKey) => void, onEnd: () => void): TerminalInput => {
  const { stdin, stdout } = process
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let timer: NodeJS.Timeout | undefined
  const read = (text: string, isOver: boolean) => {
    clearTimeout(timer)
    const { keys, rest: unfinished } = readKeys(rest + text, isOver)
    rest = unfinished
    for (const key of keys) onKey(key)
    // A paste may take longer, but its end always arrives.
    if (rest !== '' && !rest.startsWith(PASTE)) timer = setTimeout(() => read('', true), ESCAPE_KEY_MS)
  }
  const receive = (bytes: Buffer) => read(decoder.write(bytes), false)
  return {
    start: () => {
      stdin.setRawMode(true)
      stdin.on('data', receive)
      stdin.on('end', onEnd)
      stdin.resume()
      stdout.write(PASTE_ON)
    },
    feed: (text) => read(text, false),
    stop: () => {
      clearTimeout(timer)
      stdin.off('data', receive)
      stdin.off('end', onEnd)
      stdin.setRawMode(false)
      stdin.pause()
      stdout.write(PASTE_OFF)
    },
  }
}

const PASTE = '\u001b[200~'
/** Bracketed paste mode. */
export const PASTE_ON = '\u001b[?2004h'
export const PASTE_OFF = '\u001b[?2004l'
