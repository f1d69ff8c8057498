// The value that a tool, or a middleware after it, returns: as JSON that the log can hold, or the reason why it is none.
import { isDeeperThan, type Json } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import { toPlainJson } from '../../schemas/input.ts'
import { TOOL_RESULT_CHARS_MAX } from '../../session/limits.ts'

/** Levels of nesting in a result: a report, which wraps it in a few more, takes 100. */
const RESULT_DEPTH_MAX = 90

export type ToolResult = { readonly value: Json } | { readonly problem: string; readonly reason: string }

/** The result as JSON. Nothing is null. */
export const resultOf = (tool: string, returned: unknown): ToolResult => {
  if (returned === undefined) return { value: null }
  const tooLarge: ToolResult = {
    problem: `The result of "${tool}" has more than ${TOOL_RESULT_CHARS_MAX} characters. Ask it for less.`,
    reason: 'result_too_large',
  }
  // A text is measured first: writing one of 100 MB as JSON takes that much memory again.
  if (typeof returned === 'string' && returned.length > TOOL_RESULT_CHARS_MAX) return tooLarge
  const value = tryOr(undefined, () => toPlainJson(returned, 'result of a tool'))
  if (value === undefined || isDeeperThan(value, RESULT_DEPTH_MAX))
    return { problem: `The result of "${tool}" is not JSON, or nested too deep.`, reason: 'result_invalid' }
  return typeof value !== 'string' && JSON.stringify(value).length > TOOL_RESULT_CHARS_MAX ? tooLarge : { value }
}
