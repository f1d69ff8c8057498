// The result of a call as text, and the pieces that programs report.
import type { ToolArguments } from '../../../ui/arguments/argument-parts.ts'

export interface ToolOutput {
  readonly text: string
  /** The code that a program ended with. */
  readonly exitCode: number | null
  /** The value itself where it is more than a text: the page shows it behind a toggle. */
  readonly json: unknown
}

export const toolOutput = (result: unknown): ToolOutput => {
  if (typeof result === 'string') return { text: result, exitCode: null, json: undefined }
  if (result === null || result === undefined) return { text: '', exitCode: null, json: undefined }
  if (typeof result !== 'object' || Array.isArray(result)) return { text: '', exitCode: null, json: result }
  const fields = result as ToolArguments
  const parts = ['stdout', 'stderr', 'output', 'content', 'text', 'preview'].flatMap((name) => {
    const value = fields[name]
    return typeof value === 'string' && value !== '' ? [value] : []
  })
  const code = fields.exit_code ?? fields.exitCode ?? fields.code
  return { text: parts.join('\n'), exitCode: typeof code === 'number' ? code : null, json: result }
}
