// Tools that the loop itself adds. They do nothing outside of the session, so that no rule of a policy is about them.
import type { Tool } from '../../tools/tool.ts'

const made = new WeakSet<Tool>()

export const asLoopTool = (tool: Tool): Tool => {
  made.add(tool)
  return tool
}

export const isLoopTool = (tool: Tool): boolean => made.has(tool)
