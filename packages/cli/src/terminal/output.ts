// A command's output: text for people, JSON lines for programs.
import { styleText } from 'node:util'
import { cutToColumns } from './display-width.ts'
import { wrapRemark } from './text-lines.ts'

export interface CliOutput {
  readonly isJson: boolean
  /** True on a terminal. */
  readonly canAsk: boolean
  /** Terminal columns. Infinite in a pipe, where nothing is truncated or wrapped. */
  readonly width: number
  readonly write: (text: string) => void
  readonly line: (text: string) => void
  /** Prints a JSON line for programs. */
  readonly row: (value: unknown) => void
  /** Prints a remark for people to stderr. */
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
    // A getter, because the window may be resized.
    get width() {
      return widthOf(stdout)
    },
    write: (text) => stdout.write(text),
    line: (text) => stdout.write(`${text}\n`),
    row: (value) => stdout.write(`${JSON.stringify(value)}\n`),
    note: (text) => {
      if (!isJson) writeRemark(text, (line) => styleText('dim', line, { stream: stderr }))
    },
    // Colours only on a terminal, and not with NO_COLOR.
    style: (format, text) => styleText(format, text, { stream: stdout }),
  }
}

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

/** 80 if a terminal does not report its width. Infinite for a pipe. */
export const widthOf = ({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number =>
  isTTY ? columns || 80 : Number.POSITIVE_INFINITY

/** Prints to stderr, also for programs. Wraps at word boundaries on a terminal. */
export const writeRemark = (text: string, paint = (line: string): string => line): void => {
  const { stderr } = process
  const shown = escapeControls(text)
  for (const line of stderr.isTTY ? wrapRemark(shown, stderr.columns || 80) : [shown]) stderr.write(`${paint(line)}\n`)
}

/** The pipe was closed by its reader, such as `| head`. Exit without an error. */
const endOnError = (error: NodeJS.ErrnoException): void => process.exit(error.code === 'EPIPE' ? 0 : 1)

/** Replaces control characters, which a terminal executes, and bidi marks, which could disguise what is approved. */
export const escapeControls = (text: string): string => text.replace(controls, (unit) => shown(unit.charCodeAt(0)))

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be taken out.
const controls = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g

const shown = (unit: number): string =>
  String.fromCharCode(unit < 0x20 ? 0x2400 + unit : unit === 0x7f ? 0x2421 : 0xfffd)

export const oneLine = (text: string): string => escapeControls(text.replace(/\s+/g, ' ').trim())

export const truncateLine = (text: string, columns: number): string => cutToColumns(oneLine(text), Math.max(columns, 1))
