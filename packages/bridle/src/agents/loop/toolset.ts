// The tools of a run: the agent's own, those of its sources and of its middleware, and the one that takes its output.
import type { AgentDefinition } from '../agent.ts'
import { shortErrorMessage } from '../error-message.ts'
import { isTool, type Tool } from '../tools/tool.ts'
import type { OpenTools, ToolSource } from '../tools/tool-source.ts'
import { answerTool } from './calls/answer.ts'
import { withDeadline } from './calls/deadline.ts'
import type { LoopRun } from './loop-run.ts'

export class Toolset {
  readonly tools: readonly Tool[]
  readonly #byName: ReadonlyMap<string, Tool>
  readonly #sources: readonly OpenTools[]

  constructor(tools: readonly Tool[], sources: readonly OpenTools[]) {
    this.tools = tools
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]))
    this.#sources = sources
  }

  get(name: string): Tool | undefined {
    return this.#byName.get(name)
  }

  /** The run needs the sources no longer. Nobody waits for a source that takes long to close, or fails. */
  close(): void {
    for (const source of this.#sources) void closeSource(source)
  }
}

/** A source of tools failed, or took too long. Another attempt may find it well. */
export class ToolSourceError extends Error {
  readonly code = 'tool_source_failed'
}

/** The tools and sources of the agent and of its middleware. */
export const declaredTools = ({ tools, use }: AgentDefinition): readonly (Tool | ToolSource)[] => [
  ...tools,
  ...use.flatMap(({ tools: more = [] }) => more),
]

/** An agent with an output has a tool that takes it. */
export const withAnswer = ({ output }: AgentDefinition, tools: readonly Tool[]): readonly Tool[] =>
  output === null ? tools : [...tools, answerTool(output)]

export const openToolset = async (run: LoopRun): Promise<Toolset> => {
  const { definition } = run
  const opened = await Promise.allSettled(
    declaredTools(definition).map((entry) => (isTool(entry) ? [entry] : openSource(run, entry))),
  )
  const sources = opened.flatMap((each) =>
    each.status === 'fulfilled' && !Array.isArray(each.value) ? each.value : [],
  )
  const problem = opened.find((each) => each.status === 'rejected')?.reason
  const tools = opened.flatMap((each) =>
    each.status === 'rejected' ? [] : Array.isArray(each.value) ? each.value : each.value.tools,
  )
  const duplicate = duplicateName(definition, tools)
  if (problem === undefined && duplicate === null) return new Toolset(withAnswer(definition, tools), sources)
  new Toolset([], sources).close()
  throw problem ?? new ToolSourceError(`Two tools of the agent have the name "${duplicate}". Rename one of them.`)
}

const openSource = async (run: LoopRun, source: ToolSource): Promise<OpenTools> => {
  const { key, settings } = run.job
  const { toolMs: ms } = run.definition.limits
  const failed = (why: string) => new ToolSourceError(`The tools of "${source.name}" are not available: ${why}`)
  const workspace = typeof settings.workspace_path === 'string' ? { workspace: settings.workspace_path } : {}
  const open = async (signal: AbortSignal) =>
    source.open({ sessionId: key.id, tenant: key.tenant, ...workspace, signal })
  const deadline = {
    clock: run.ports.clock,
    signal: run.controls.signal,
    ms,
    error: () => failed(`${ms} ms are over.`),
  }
  try {
    const opened = await withDeadline(open, deadline)
    const stranger = opened.tools.find((each) => !isTool(each))
    if (stranger !== undefined) throw failed('an entry of its list is no tool. Make each one with tool().')
    return opened
  } catch (error) {
    run.controls.signal.throwIfAborted()
    throw error instanceof ToolSourceError ? error : failed(shortErrorMessage(error))
  }
}

const closeSource = async (source: OpenTools): Promise<void> => {
  try {
    await source.close?.()
  } catch {
    // The tools are not used any more: nobody can do anything about it.
  }
}

const duplicateName = ({ output }: AgentDefinition, tools: readonly Tool[]): string | null => {
  const names = new Set(output === null ? [] : [answerTool(output).name])
  for (const { name } of tools) {
    if (names.has(name)) return name
    names.add(name)
  }
  return null
}
