import { argumentSummary, type ToolArguments } from '../../../ui/arguments/argument-parts.ts'
import { visibleText } from '../../../ui/plain-text.ts'

/** The characters of an argument in the row of a tool. */
const BRIEF_CHARS = 160

/** The thing that a call is about, in one visible line. */
export const toolBrief = (args: ToolArguments): string =>
  visibleText(argumentSummary(args).slice(0, BRIEF_CHARS).replace(/\s+/g, ' ').trim())
