// The menu of `bridle init` on a terminal.
import { createInterface } from 'node:readline'
import { type CliOutput, escapeControls } from '../terminal/output.ts'
import { isTemplate, TEMPLATES, type TemplateName } from './templates.ts'

/** A number or a name; Enter takes the first. Null = the input ended. */
export const chooseTemplate = async (
  out: Pick<CliOutput, 'line' | 'write' | 'style'>,
  input: NodeJS.ReadableStream = process.stdin,
): Promise<TemplateName | null> => {
  const names = Object.keys(TEMPLATES) as TemplateName[]
  const width = Math.max(...names.map((name) => name.length))
  for (const [index, name] of names.entries())
    out.line(`  ${index + 1}  ${out.style('bold', name.padEnd(width))}  ${TEMPLATES[name]}`)
  const question = `Which one? [1-${names.length}, Enter for ${names[0]}] `
  const lines = createInterface({ input, terminal: false })
  try {
    out.write(question)
    for await (const line of lines) {
      const typed = line.trim().toLowerCase()
      const chosen = typed === '' ? names[0] : (names[Number(typed) - 1] ?? typed)
      if (chosen !== undefined && isTemplate(chosen)) return chosen
      out.write(`There is no "${escapeControls(line.trim())}" here. ${question}`)
    }
    return null
  } finally {
    lines.close()
    // An open standard input would keep the process alive.
    input.pause()
  }
}
