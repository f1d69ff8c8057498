import { displayWidth } from './display-width.ts'
import type { CliOutput } from './output.ts'
import { behindLabel, escapeInvisible, wrapText, wrapWords } from './text-lines.ts'

/** A label and its lines. A field without lines is omitted. */
export type Field = readonly [label: string, texts: readonly string[]]

export const printFields = (out: CliOutput, fields: readonly Field[]): void => {
  const shown = fields.filter(([, texts]) => texts.length > 0)
  const width = Math.max(...shown.map(([label]) => label.length)) + 2
  for (const [label, texts] of shown) {
    const lines = texts.flatMap((text) => hanging(text, out.width - width))
    behindLabel(out.style('dim', label.padEnd(width)), lines, width).forEach(out.line)
  }
}

export const printUnder = (out: CliOutput, word: string, text: string): string[] => {
  const head = `  ${word}: `
  const lines = wrapWords(escapeInvisible(text), out.width - displayWidth(head))
  return behindLabel(head, lines).map((line) => out.style('dim', line))
}

/** Indents wrapped lines to set them apart from the next one. */
const hanging = (text: string, columns: number): string[] =>
  wrapText(escapeInvisible(text), columns - INDENT).map((line, at) =>
    at === 0 ? line : `${' '.repeat(INDENT)}${line}`,
  )

const INDENT = 2
