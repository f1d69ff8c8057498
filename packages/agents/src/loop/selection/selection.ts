// The choice among more tools than a model is offered: those that are always offered, then those that the prompt asks for.
import { TOOLS_OFFERED_MAX } from '../../session/limits.ts'
import type { Tool } from '../../tools/tool.ts'
import { isLoopTool } from '../tools/loop-tools.ts'
import { toolIndex } from './tool-index.ts'

/** Characters at each end of a prompt that the choice reads: people say what they want first or last, and paste data in between. */
const QUERY_END_CHARS = 2_000

export interface ToolSelection {
  readonly tools: readonly string[]
  /** The names that were chosen by relevance, the best first. */
  readonly chosen: readonly string[]
}

export const isSelective = (tools: readonly Tool[]): boolean =>
  tools.filter((tool) => !isLoopTool(tool)).length > TOOLS_OFFERED_MAX

/** `found` are tools that a search has added in this session: they stand at the end. */
export const selectTools = (tools: readonly Tool[], prompt: string, found: readonly string[]): ToolSelection => {
  const isFixed = (tool: Tool) => isLoopTool(tool) || tool.always
  const fixed = tools.filter(isFixed)
  const others = tools.filter((tool) => !isFixed(tool))
  const room = Math.max(0, TOOLS_OFFERED_MAX - fixed.length)
  const ranked = rankTools(others, prompt).slice(0, room)
  const names = [...fixed, ...ranked].map(({ name }) => name)
  const known = new Set(others.map(({ name }) => name))
  return {
    tools: [...names, ...found.filter((name) => known.has(name) && !names.includes(name))],
    chosen: ranked.map(({ name }) => name),
  }
}

/** Tools that match the prompt, then the others in the order of the agent. */
const rankTools = (tools: readonly Tool[], prompt: string): readonly Tool[] => {
  const matches = toolIndex(tools)
    .search(queryOf(prompt))
    .map(({ tool }) => tool)
  const isMatch = new Set(matches)
  return [...matches, ...tools.filter((tool) => !isMatch.has(tool))]
}

export const queryOf = (prompt: string): string =>
  prompt.length <= 2 * QUERY_END_CHARS
    ? prompt
    : `${prompt.slice(0, QUERY_END_CHARS)} ${prompt.slice(-QUERY_END_CHARS)}`
