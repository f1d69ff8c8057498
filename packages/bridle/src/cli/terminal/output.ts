// Where a verb speaks: for people on a terminal, JSON lines to whatever else reads.
import { styleText } from 'node:util'

export interface CliOutput {
  /** JSON lines in place of text. */
  readonly isJson: boolean
  /** Somebody is there to answer a question. */
  readonly canAsk: boolean
  /** Characters in a line of the terminal. */
  readonly width: number
  /** Text for people, as it comes. */
  readonly write: (text: string) => void
  readonly line: (text: string) => void
  /** One value, one line; for programs. */
  readonly row: (value: unknown) => void
  /** Beside the point: goes to standard error, and is not said to programs. */
  readonly note: (text: string) => void
  readonly style: (format: TextStyle, text: string) => string
}

export type TextStyle = Parameters<typeof styleText>[0]

export const createOutput = ({ json = false, text = false }: { json?: boolean; text?: boolean }): CliOutput => {
  const { stdin, stdout, stderr } = process
  const isJson = json || (!stdout.isTTY && !text)
  // The pipe's reader has seen enough (`| head`): there is nobody left to write for.
  stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return {
    isJson,
    canAsk: !isJson && stdin.isTTY === true && stdout.isTTY === true,
    // Asked each time: a window changes its size.
    get width() {
      return stdout.columns || 80
    },
    write: (said) => stdout.write(said),
    line: (said) => stdout.write(`${said}\n`),
    row: (value) => stdout.write(`${JSON.stringify(value)}\n`),
    note: (said) => {
      if (!isJson) stderr.write(`${styleText('dim', said, { stream: stderr })}\n`)
    },
    // Colour on a terminal only, and not with NO_COLOR.
    style: (format, said) => styleText(format, said, { stream: stdout }),
  }
}

/**
 * An agent's words may hold escape sequences; on a terminal they would be commands. Marks that turn the direction of writing
 * would show a person something else than what is approved.
 */
export const escapeControls = (text: string): string => text.replace(controls, (unit) => shown(unit.charCodeAt(0)))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be taken out.
const controls = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g

const shown = (unit: number): string =>
  String.fromCharCode(unit < 0x20 ? 0x2400 + unit : unit === 0x7f ? 0x2421 : 0xfffd)

/** In one line, cut to fit. */
export const truncateLine = (text: string, most: number): string => {
  const flat = escapeControls(text.replace(/\s+/g, ' ').trim())
  const letters = [...flat]
  return letters.length <= most ? flat : `${letters.slice(0, Math.max(most - 1, 1)).join('')}…`
}
