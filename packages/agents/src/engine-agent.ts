// An engine agent: an agent whose turns an engine plays, such as Claude Code. Several agents on one engine share its installation and
// its credentials, and differ in everything that stands here.
import { isJsonObject, present } from '@bridle/events/json'
import type { AgentOptions } from './agent.ts'
import type { StandardSchema } from './schemas/standard-schema.ts'
import { unknownFieldProblem } from './session/unknown-field.ts'
import { isTool, type Tool } from './tools/tool.ts'

/** The bounds of one turn of an engine agent. */
export interface EngineBudget {
  /** US dollars; the engine's `max_budget_usd`. */
  readonly cost_usd?: number
  /** Answers of the model; the engine's `max_turns`. */
  readonly turns?: number
}

/** Instructions of an engine agent: a text, or the file of the project that has it. */
export type EngineInstructions = string | { readonly file: string }

/** The permission modes of engines, from the one that reads alone to the one that never asks. */
export const PERMISSION_MODES = ['plan', 'default', 'acceptEdits', 'dontAsk', 'bypassPermissions'] as const

/** The definition of an engine agent. What it leaves out is as `engines.<name>` of the server says. */
export interface EngineAgentOptions
  extends Pick<AgentOptions<StandardSchema, StandardSchema>, 'name' | 'description' | 'triggers'> {
  /** The engine that plays the turns: `claude` or `codex`. */
  readonly engine: string
  /** Added to the system prompt of the engine in every turn, after the instructions that the server has for the engine. */
  readonly instructions?: EngineInstructions
  /** The model, in the engine's own words. */
  readonly model?: string
  /** The models that callers may choose, `*` for any part of a name. */
  readonly models?: readonly string[]
  /** How much the model thinks, in the engine's own words. */
  readonly effort?: string
  /** Tools that the engine may call, beside its own. */
  readonly tools?: readonly Tool[]
  /** MCP servers by name, as in `engines.<name>.mcp`. */
  readonly mcp?: { readonly [name: string]: object }
  /** Whether the engine reads the texts of the repository that it works in, as in `engines.<name>.repository`. */
  readonly repository?: 'instructions' | 'none'
  /** The permission mode of the engine: the acts that need no approval. */
  readonly permissions?: (typeof PERMISSION_MODES)[number]
  /** The bounds of one turn. */
  readonly budget?: EngineBudget
  /** An engine agent has no `run` function. */
  readonly run?: never
}

/** The engine of an agent, and its settings there. */
export interface EngineAgent extends Omit<EngineAgentOptions, 'engine' | 'name' | 'description' | 'triggers' | 'run'> {
  /** The name of the engine. */
  readonly name: string
}

/** Options that only an engine agent takes. */
export const ENGINE_OPTIONS = ['engine', 'models', 'effort', 'mcp', 'repository', 'permissions', 'budget'] as const

const FIELDS: readonly string[] = [
  ...['name', 'description', 'triggers', 'model', 'instructions', 'tools'],
  ...ENGINE_OPTIONS,
]
const BUDGET_FIELDS = ['cost_usd', 'turns']

/** The options of an engine agent, each of which may be missing. */
export type PartialEngineOptions = { readonly [N in (typeof ENGINE_OPTIONS)[number]]?: EngineAgentOptions[N] }

export const engineAgentOf = (options: EngineAgentOptions): EngineAgent => {
  const { engine, model, models, effort, instructions, tools, mcp, repository, permissions, budget } = options
  return Object.freeze({
    name: engine,
    ...present({ model, models, effort, instructions, mcp, repository, permissions, budget }),
    ...(tools && { tools: Object.freeze([...tools]) }),
  })
}

/** The first thing that is wrong with the options of an engine agent; null = nothing. */
export const engineAgentProblem = (name: string, options: { readonly [name: string]: unknown }): string | null => {
  const other = Object.keys(options).find((field) => options[field] !== undefined && !FIELDS.includes(field))
  if (other !== undefined)
    return `${other} of "${name}" is for agents with a model or a run function; this one has an engine.`
  for (const [field, { kind, fits }] of Object.entries(CHECKS))
    if (options[field] !== undefined && !fits(options[field])) return `${field} of "${name}" is not ${kind}.`
  const { budget, tools = [] } = options as unknown as EngineAgentOptions
  const unknownBudget = budget && unknownFieldProblem(budget, BUDGET_FIELDS)
  if (unknownBudget) return `budget of "${name}": ${unknownBudget}`
  const names = tools.map((tool) => tool.name)
  const twice = names.find((each, index) => names.indexOf(each) !== index)
  return twice === undefined ? null : `"${name}" has two tools with the name "${twice}".`
}

interface FieldCheck {
  readonly kind: string
  readonly fits: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
const isFile = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 1 && isText(value.file)
const isAbsent = (value: unknown): boolean => value === undefined

const CHECKS: { readonly [field: string]: FieldCheck } = {
  engine: { kind: 'the name of an engine', fits: isText },
  instructions: {
    kind: 'a text or { file: "./instructions.md" }',
    fits: (value) => typeof value === 'string' || isFile(value),
  },
  model: { kind: 'the name of a model', fits: isText },
  models: { kind: 'a list of texts', fits: (value) => Array.isArray(value) && value.every(isText) },
  effort: { kind: 'a text', fits: isText },
  tools: {
    kind: 'a list of tools. Write: tools: [tool({ name, description, input, run })]',
    fits: (value) => Array.isArray(value) && value.every(isTool),
  },
  mcp: {
    kind: 'an object with an object for each server',
    fits: (value) => isJsonObject(value) && Object.values(value).every(isJsonObject),
  },
  repository: { kind: '"instructions" or "none"', fits: (value) => value === 'instructions' || value === 'none' },
  permissions: {
    kind: `one of ${PERMISSION_MODES.join(', ')}`,
    fits: (value) => (PERMISSION_MODES as readonly unknown[]).includes(value),
  },
  budget: {
    kind: '{ cost_usd, turns } with an amount of 0 or more, and a whole number above 0',
    fits: (value) =>
      isJsonObject(value) &&
      (isAbsent(value.cost_usd) || (Number.isFinite(value.cost_usd) && Number(value.cost_usd) >= 0)) &&
      (isAbsent(value.turns) || (Number.isSafeInteger(value.turns) && Number(value.turns) > 0)),
  },
}
