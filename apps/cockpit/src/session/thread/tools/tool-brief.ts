import { argumentSummary, type ToolArguments } from '../../../ui/arguments/argument-parts.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import { BRIEF_CHARS } from '../limits.ts'

/** The thing that a call is about, in one visible line. */
export const toolBrief = (args: ToolArguments): string =>
  visibleText(argumentSummary(args).slice(0, BRIEF_CHARS).replace(/\s+/g, ' ').trim())
