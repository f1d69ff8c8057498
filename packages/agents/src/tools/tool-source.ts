// A source of tools, such as an MCP server or a workspace: the loop learns at the start of a run which tools there are.
import type { Tool } from './tool.ts'

/** A source of tools for the `tools` of an agent with a model. */
export interface ToolSource {
  /** The name of the source, for people: errors name it. */
  readonly name: string
  /** Gives the tools for a run. Called when a run begins, and again where another process continues it. */
  open(context: ToolSourceContext): OpenTools | Promise<OpenTools>
}

/** A run as the source of its tools sees it. */
export interface ToolSourceContext {
  /** The id of the session. */
  readonly sessionId: string
  /** The tenant of the session. */
  readonly tenant: string
  /** The session's folder, if it was started with a workspace. */
  readonly workspace?: string
  /** The session works in a person's own folder, not in one that the server made for it. */
  readonly isInPlace?: boolean
  /** Aborts when the source takes longer than a tool may, and when the run is cancelled or has ended. */
  readonly signal: AbortSignal
}

/** The tools of a source, as long as a run uses them. */
export interface OpenTools {
  /** The tools, each under a name that no other tool of the agent has. */
  readonly tools: readonly Tool[]
  /** Called when the run has ended, or leaves this process. */
  close?(): void | Promise<void>
}

export const isToolSource = (value: unknown): value is ToolSource =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<ToolSource>).name === 'string' &&
  typeof (value as Partial<ToolSource>).open === 'function'
