// A thing described by labelled lines, wrapped and never cut.

import { displayWidth } from './display-width.ts'
import type { CliOutput } from './output.ts'
import { escapeInvisible, wrapText, wrapWords } from './text-lines.ts'

/** A label, and the texts below each other beside it. Without texts the label is left out. */
export type Field = readonly [label: string, texts: readonly string[]]

export const printFields = (out: CliOutput, fields: readonly Field[]): void => {
  const shown = fields.filter(([, texts]) => texts.length > 0)
  const width = Math.max(...shown.map(([label]) => label.length)) + 2
  for (const [label, texts] of shown) {
    const lines = texts.flatMap((text) => hanging(text, out.width - width))
    for (const [at, line] of lines.entries())
      out.line(`${out.style('dim', (at === 0 ? label : '').padEnd(width))}${line}`.trimEnd())
  }
}

/** Lines below a row of a table, with a word for what they say. They are advice, with words to copy. */
export const printUnder = (out: CliOutput, word: string, text: string): string[] => {
  const head = `  ${word}: `
  return wrapWords(escapeInvisible(text), out.width - displayWidth(head)).map((line, at) =>
    out.style('dim', `${at === 0 ? head : ' '.repeat(displayWidth(head))}${line}`.trimEnd()),
  )
}

/** Further lines of a text are indented, so that they do not look like the next one. */
const hanging = (text: string, columns: number): string[] =>
  wrapText(escapeInvisible(text), columns - INDENT).map((line, at) =>
    at === 0 ? line : `${' '.repeat(INDENT)}${line}`,
  )

const INDENT = 2
