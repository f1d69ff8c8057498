// The tools of a run: the agent's own, those of its sources and of its middleware, and the one that takes its output.
import type { Job } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentDefinition } from '../../agent.ts'
import { shortErrorMessage } from '../../session/error-message.ts'
import { isTool, type Tool } from '../../tools/tool.ts'
import type { OpenTools, ToolSource } from '../../tools/tool-source.ts'
import { readArtifactTool } from '../artifacts/read-artifact.ts'
import { type Deadline, withDeadline } from '../calls/deadline.ts'
import type { LoopRun } from '../loop-run.ts'
import { FIND_TOOLS, findToolsTool } from '../selection/find-tools.ts'
import { isSelective } from '../selection/selection.ts'
import { isLoopTool } from '../tools/loop-tools.ts'
import { answerTool } from './answer.ts'

/** A tool that the model is offered only where there is something for it to do. */
interface OptionalTool {
  readonly tool: Tool
  readonly isUseful: () => boolean
}

export class Toolset {
  /** There are more tools than a model is offered: each turn has a selection. */
  readonly isSelective: boolean
  readonly #tools: readonly Tool[]
  readonly #optional: OptionalTool | null
  readonly #withOptional: readonly Tool[]
  readonly #byName: ReadonlyMap<string, Tool>
  readonly #sources: readonly OpenTools[]

  constructor(tools: readonly Tool[], sources: readonly OpenTools[], optional: OptionalTool | null = null) {
    this.#tools = tools
    // A tool of the agent's own has the name before ours.
    this.#optional = optional && tools.every(({ name }) => name !== optional.tool.name) ? optional : null
    this.#withOptional = this.#optional ? [...tools, this.#optional.tool] : tools
    this.#byName = new Map(this.#withOptional.map((tool) => [tool.name, tool]))
    this.#sources = sources
    this.isSelective = isSelective(tools)
  }

  get tools(): readonly Tool[] {
    return this.#optional?.isUseful() ? this.#withOptional : this.#tools
  }

  isOptional(name: string): boolean {
    return this.#optional?.tool.name === name
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

export const declaredTools = ({ tools, use }: AgentDefinition): readonly (Tool | ToolSource)[] => [
  ...tools,
  ...use.flatMap(({ tools: more = [] }) => more),
]

/** An agent with an output has a tool that takes it. */
export const withAnswer = ({ output }: AgentDefinition, tools: readonly Tool[]): readonly Tool[] =>
  output === null ? tools : [...tools, answerTool(output)]

export const openToolset = async (run: LoopRun): Promise<Toolset> => {
  const { definition } = run
  const deadline = { clock: run.ports.clock, signal: run.controls.signal, ms: definition.limits.toolMs }
  const opened = await Promise.allSettled(
    declaredTools(definition).map((entry) => (isTool(entry) ? [entry] : openSource(entry, run.job, deadline))),
  )
  const sources = opened.flatMap((each) =>
    each.status === 'fulfilled' && !Array.isArray(each.value) ? each.value : [],
  )
  const problem = opened.find((each) => each.status === 'rejected')?.reason
  const tools = opened.flatMap((each) =>
    each.status === 'rejected' ? [] : Array.isArray(each.value) ? each.value : each.value.tools,
  )
  tools.push(...run.skills.tools)
  const duplicate = duplicateName(definition, tools)
  if (problem === undefined && duplicate === null) {
    const reader = { tool: readArtifactTool(run.reporter), isUseful: () => hasResultArtifacts(run.reporter) }
    return new Toolset(withSearch(run, withAnswer(definition, tools)), sources, reader)
  }
  new Toolset([], sources).close()
  throw problem ?? new ToolSourceError(`Two tools of the agent have the name "${duplicate}". Rename one of them.`)
}

/** Whether a result of the session is kept as an artifact, so that the model may want to read more of it. */
export const hasResultArtifacts = ({ session }: RunReporter): boolean => session.governance().resultArtifactRun !== null

/** With more tools than a model is offered, it can search for others. */
const withSearch = (run: LoopRun, tools: readonly Tool[]): readonly Tool[] => {
  if (!isSelective(tools) || tools.some(({ name }) => name === FIND_TOOLS)) return tools
  const others = tools.filter((tool) => !isLoopTool(tool))
  return [findToolsTool(others, () => run.transcript.turn.offered ?? []), ...tools]
}

/** Opens a source for a session. Rejects with a `ToolSourceError`, or with the reason of the signal. */
export const openSource = async (
  source: ToolSource,
  { key, settings }: Pick<Job, 'key' | 'settings'>,
  deadline: Omit<Deadline, 'error'>,
): Promise<OpenTools> => {
  const failed = (why: string) => new ToolSourceError(`The tools of "${source.name}" are not available: ${why}`)
  const isInPlace = settings.workspace_kind === 'in_place'
  const workspace =
    typeof settings.workspace_path === 'string'
      ? { workspace: settings.workspace_path, ...(isInPlace && { isInPlace }) }
      : {}
  const open = async (signal: AbortSignal) =>
    source.open({ sessionId: key.id, tenant: key.tenant, ...workspace, signal })
  try {
    const opened = await withDeadline(open, { ...deadline, error: () => failed(`${deadline.ms} ms are over.`) })
    const stranger = opened.tools.find((each) => !isTool(each))
    if (stranger !== undefined) throw failed('an entry of its list is no tool. Make each one with tool().')
    return opened
  } catch (error) {
    deadline.signal.throwIfAborted()
    throw error instanceof ToolSourceError ? error : failed(shortErrorMessage(error))
  }
}

export const closeSource = async (source: OpenTools): Promise<void> => {
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
