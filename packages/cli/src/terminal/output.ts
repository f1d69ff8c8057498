// The output of a command: text for people on a terminal, JSON lines for programs.
import { styleText } from 'node:util'
import { cutToColumns } from './display-width.ts'
import { wrapRemark } from './text-lines.ts'

export interface CliOutput {
  /** JSON lines instead of text. */
  readonly isJson: boolean
  /** A person is there to answer a question. */
  readonly canAsk: boolean
  /** Characters in a line of the terminal; a pipe has no end of the line, so that nothing is cut or wrapped in it. */
  readonly width: number
  /** Text for people, without a newline. */
  readonly write: (text: string) => void
  readonly line: (text: string) => void
  /** A value as one JSON line, for programs. */
  readonly row: (value: unknown) => void
  /** A remark for people on standard error; programs do not get it. */
  readonly note: (text: string) => void
  readonly style: (format: TextStyle, text: string) => string
}

export type TextStyle = Parameters<typeof styleText>[0]

export const createOutput = ({ json = false, text = false }: { json?: boolean; text?: boolean }): CliOutput => {
  const { stdin, stdout, stderr } = process
  const isJson = json || (!stdout.isTTY && !text)
  if (!stdout.listeners('error').includes(endOnError)) stdout.once('error', endOnError)
  return {
    isJson,
    canAsk: !isJson && stdin.isTTY === true && stdout.isTTY === true,
    // Read each time: the window may change its size.
    get width() {
      return widthOf(stdout)
    },
    write: (text) => stdout.write(text),
    line: (text) => stdout.write(`${text}\n`),
    row: (value) => stdout.write(`${JSON.stringify(value)}\n`),
    note: (text) => {
      if (!isJson) writeRemark(text, (line) => styleText('dim', line, { stream: stderr }))
    },
    // Colour on a terminal only, and not with NO_COLOR.
    style: (format, text) => styleText(format, text, { stream: stdout }),
  }
}

/** The same output, with other functions that print text. */
export const withPrinting = (
  out: CliOutput,
  replace: (print: (text: string) => void, endsLine: boolean) => (text: string) => void,
): CliOutput => ({
  ...{ isJson: out.isJson, canAsk: out.canAsk, row: out.row, style: out.style },
  get width() {
    return out.width
  },
  write: replace(out.write, false),
  line: replace(out.line, true),
  note: replace(out.note, true),
})

/** The columns of a terminal, 80 where it does not say them; a pipe has no limit. */
export const widthOf = ({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number =>
  isTTY ? columns || 80 : Number.POSITIVE_INFINITY

/** Words on standard error, also for programs. On a terminal no word of them is broken. */
export const writeRemark = (text: string, paint = (line: string): string => line): void => {
  const { stderr } = process
  const shown = escapeControls(text)
  for (const line of stderr.isTTY ? wrapRemark(shown, stderr.columns || 80) : [shown]) stderr.write(`${paint(line)}\n`)
}

/** The reader of the pipe has closed it (`| head`): end without an error. */
const endOnError = (error: NodeJS.ErrnoException): void => process.exit(error.code === 'EPIPE' ? 0 : 1)

/**
 * Replaces control characters: in an agent's text they would be commands to the terminal. Marks that change the direction of
 * writing would show a person something different from what is approved.
 */
export const escapeControls = (text: string): string => text.replace(controls, (unit) => shown(unit.charCodeAt(0)))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be taken out.
const controls = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g

const shown = (unit: number): string =>
  String.fromCharCode(unit < 0x20 ? 0x2400 + unit : unit === 0x7f ? 0x2421 : 0xfffd)

export const oneLine = (text: string): string => escapeControls(text.replace(/\s+/g, ' ').trim())

export const truncateLine = (text: string, columns: number): string => cutToColumns(oneLine(text), Math.max(columns, 1))
