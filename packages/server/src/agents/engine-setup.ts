// The settings of an agent on an engine, on every target: its definition overrides `engines.<name>`.
import type { AgentDefinition } from '@bridle/agents/agent'
import type { EngineAgent, EngineInstructions } from '@bridle/agents/engine-agent'
import { present } from '@bridle/events/json'
import type { EngineConfig, EngineDescription } from '@bridle/runners/engines/description'
import {
  defaultModel,
  effortChoiceProblem,
  type ModelRules,
  modelChoiceProblem,
  providerModels,
} from '@bridle/runners/engines/models'
import type { EngineMcpServers } from '@bridle/runners/mcp/declaration'
import type { EngineSettings } from '@bridle/runners/protocol/protocol'

/** Reads a file of the project. Absent on targets without files. */
export type InstructionsReader = (file: string) => { readonly text: string } | { readonly problem: string }

export interface EngineSetup {
  /** The settings of the engine and of the definition together. */
  readonly config: EngineConfig
  /** The settings of every run, which its session and its caller narrow. */
  readonly settings: EngineSettings
  readonly rules: ModelRules
  readonly modelProblem: (model: string) => string | null
  /** The patterns of the models that the agent's key may be spent on; null = any. */
  readonly providerModels: readonly string[] | null
  /** Absent = none. */
  readonly instructions?: string
  /** Why no run of the agent can begin, as a sentence; null = nothing is wrong with its settings. */
  readonly problem: string | null
}

/** `definition`: null = the engine's own agent. */
export const engineSetup = (
  { models: known, efforts }: Pick<EngineDescription, 'models' | 'efforts'>,
  engine: EngineConfig = {},
  definition: Pick<AgentDefinition, 'engine'> | null = null,
  read?: InstructionsReader,
): EngineSetup => {
  const agent = definition?.engine ?? null
  const config = agent ? agentConfig(engine, agent) : engine
  const { models, model, effort, permission_mode, max_budget_usd, max_turns } = config
  const rules = { known, models, model }
  const instructions = joinedInstructions([engine.instructions, agent?.instructions], read)
  return {
    config,
    settings: present({ model: defaultModel(rules) ?? undefined, effort, permission_mode, max_budget_usd, max_turns }),
    rules,
    modelProblem: modelChoiceProblem(rules),
    providerModels: providerModels(rules),
    ...('text' in instructions && instructions.text !== '' && { instructions: instructions.text }),
    problem:
      (typeof effort === 'string' ? effortChoiceProblem(efforts)(effort) : null) ??
      ('problem' in instructions ? instructions.problem : null),
  }
}

/** The operator wrote both, so the definition may also widen. Tools and MCP servers add up. */
const agentConfig = (engine: EngineConfig, agent: EngineAgent): EngineConfig => {
  const { model, models, effort, tools = [], mcp = {}, repository, permissions, budget = {} } = agent
  return {
    ...engine,
    ...present({ model, models, effort, repository, permission_mode: permissions }),
    ...present({ max_budget_usd: budget.cost_usd, max_turns: budget.turns }),
    ...(tools.length > 0 && { tools: [...(engine.tools ?? []), ...tools] }),
    ...(Object.keys(mcp).length > 0 && { mcp: { ...engine.mcp, ...(mcp as EngineMcpServers) } }),
  }
}

const joinedInstructions = (
  all: readonly (EngineInstructions | undefined)[],
  read: InstructionsReader | undefined,
): { readonly text: string } | { readonly problem: string } => {
  const texts: string[] = []
  for (const each of all) {
    if (each === undefined) continue
    const found = typeof each === 'string' ? { text: each } : (read?.(each.file) ?? noFiles(each.file))
    if ('problem' in found) return found
    if (found.text.trim() !== '') texts.push(found.text.trim())
  }
  return { text: texts.join('\n\n') }
}

const noFiles = (file: string) => ({
  problem: `The instructions are in the file ${file}, and a Worker reads no files. Give their text.`,
})
