// A model agent: an agent without a `run` function. A language model decides what happens next, and the loop does it.
import { present } from '../kernel/json.ts'
import type { HarnessMessage } from '../kernel/projections/harness-state.ts'
import type { AgentOptions } from './agent.ts'
import { STEPS_MAX, TIMER_MS_MAX, TOOL_CALLS_MAX, TOOL_TIMEOUT_MS, TURN_MS_MAX } from './limits.ts'
import { STALL_MS } from './model/limits.ts'
import { type LanguageModel, type ModelSettings, modelProblem } from './model/model.ts'
import { isSchema, missingJsonSchema, type OutputOf, type StandardSchema } from './schemas/standard-schema.ts'
import { ANSWER_TOOL, isTool, type Tool } from './tools/tool.ts'

/** A model: an object of a provider's package for the AI SDK, or its name as `provider/model-id`. */
export type ModelChoice = LanguageModel | `${string}/${string}`

/** The instructions of a model agent: a text, or a function that writes the text for a turn. */
export type Instructions<Input> = string | ((turn: AgentTurn<Input>) => string | Promise<string>)

/** A turn as the instructions of a model agent see it. */
export interface AgentTurn<Input> {
  /** The input as its schema returns it. */
  readonly input: Input
  /** The prompt that began the turn. */
  readonly prompt: string
  /** The id of the session. */
  readonly sessionId: string
  /** The conversation of this branch so far, with the prompt of the turn at its end. */
  messages(): Promise<readonly HarnessMessage[]>
}

/** Bounds of one turn of a model agent. */
export interface AgentLimits {
  /** Answers of the model in a turn; default 50. */
  readonly steps?: number
  /** Tool calls in a turn; default 200. */
  readonly calls?: number
  /** Milliseconds of work in a turn; the time that it waits for a person does not count. Default 30 minutes. */
  readonly turnMs?: number
  /** Milliseconds that a tool may take, unless its own `timeoutMs` says otherwise; default one minute. */
  readonly toolMs?: number
  /** Milliseconds without a sign of life from the model, after which it is asked again; default two minutes. */
  readonly stallMs?: number
}

/** The definition of a model agent: its model, its instructions and its tools. */
export interface ModelAgentOptions<In extends StandardSchema, Out extends StandardSchema>
  extends AgentOptions<In, Out> {
  /** The model. In a list, each one after the first is asked where the one before it fails. */
  readonly model: ModelChoice | readonly [ModelChoice, ...ModelChoice[]]
  /**
   * The first words of every request. A function is called at the start of a turn, and again where another process continues
   * the turn: let it return the same text for the same turn.
   */
  readonly instructions?: Instructions<OutputOf<In>>
  /** The tools that the model may call, each under a name of its own. */
  readonly tools?: readonly Tool[]
  /** Bounds of one turn. */
  readonly limits?: AgentLimits
  /** Settings of each request to the model. */
  readonly settings?: ModelSettings
  /** A model agent has no `run` function. */
  readonly run?: never
  /** A model agent is always durable. */
  readonly durable?: never
}

/** The part of an agent's definition that only a model agent fills in. */
export interface ModelAgentFields {
  /** The models, in the order in which they are asked; null = the agent has a `run` function instead. */
  readonly model: readonly ModelChoice[] | null
  /** The instructions; null = none. */
  readonly instructions: Instructions<unknown> | null
  /** The tools; a `run` function makes calls of its own instead. */
  readonly tools: readonly Tool[]
  /** The limits, with a default for each. */
  readonly limits: Required<AgentLimits>
  /** The settings of each request. */
  readonly settings: ModelSettings
}

type Fields = { readonly [name: string]: unknown }

/** Options that only a model agent takes: a `run` function with one of them is a mistake. */
export const MODEL_OPTIONS = ['instructions', 'tools', 'limits', 'settings'] as const

/** The options of a model agent, each of which may be missing. */
export type PartialModelOptions = Pick<
  Partial<ModelAgentOptions<StandardSchema, StandardSchema>>,
  'model' | (typeof MODEL_OPTIONS)[number]
>

export const modelAgentFields = (options: PartialModelOptions): ModelAgentFields => {
  const { model, instructions = null, tools = [], limits = {}, settings = {} } = options
  return {
    model: model === undefined ? null : Object.freeze(isList(model) ? [...model] : [model]),
    instructions,
    tools: Object.freeze([...tools]),
    limits: Object.freeze({ ...DEFAULT_LIMITS, ...present(limits) }),
    settings: Object.freeze(present(settings)),
  }
}

const DEFAULT_LIMITS = {
  steps: STEPS_MAX,
  calls: TOOL_CALLS_MAX,
  turnMs: TURN_MS_MAX,
  toolMs: TOOL_TIMEOUT_MS,
  stallMs: STALL_MS,
}
const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS)

/** The first thing that is wrong with the options of a model agent; null = nothing. */
export const modelAgentProblem = (name: string, options: Fields): string | null => {
  const { model, instructions, tools, limits, settings, durable, output } = options
  if (durable !== undefined)
    return `durable of "${name}" is for agents with a run function: a model agent is always durable.`
  if (instructions !== undefined && typeof instructions !== 'string' && typeof instructions !== 'function')
    return `the instructions of "${name}" are neither a text nor a function.`
  const missing = isSchema(output) ? missingJsonSchema(output) : null
  if (missing !== null) return `the output of "${name}" ${missing}`
  return (
    modelsProblem(name, model) ??
    toolsProblem(name, tools, output !== undefined) ??
    limitsProblem(name, limits) ??
    settingsProblem(name, settings)
  )
}

const modelsProblem = (name: string, model: unknown): string | null => {
  const models = isList(model) ? model : [model]
  if (models.length === 0) return `the model of "${name}" is an empty list.`
  for (const each of models) {
    const problem = typeof each === 'string' ? modelNameProblem(each) : modelProblem(each)
    if (problem !== null) return `the model of "${name}": ${problem}`
  }
  return null
}

const modelNameProblem = (model: string): string | null =>
  /^[^/\s]+\/\S+$/.test(model) ? null : `"${model}" is no name of a model. Write provider/model-id.`

const toolsProblem = (name: string, tools: unknown, hasOutput: boolean): string | null => {
  if (tools === undefined) return null
  if (!isList(tools)) return `the tools of "${name}" are not a list.`
  const names = new Set<string>()
  for (const each of tools) {
    if (!isTool(each))
      return `the tools of "${name}" have an entry that is no tool. Write: tools: [tool({ name, description, input, run })].`
    if (names.has(each.name)) return `"${name}" has two tools with the name "${each.name}".`
    if (hasOutput && each.name === ANSWER_TOOL)
      return `"${name}" has an output, which the model gives with a tool "${ANSWER_TOOL}": give your tool another name.`
    names.add(each.name)
  }
  return null
}

const limitsProblem = (name: string, limits: unknown): string | null => {
  if (limits === undefined) return null
  if (!isFields(limits)) return `the limits of "${name}" are not an object.`
  for (const [field, value] of Object.entries(limits)) {
    if (!LIMIT_NAMES.includes(field))
      return `limits.${field} of "${name}" is no limit: there are ${LIMIT_NAMES.join(', ')}.`
    if (value !== undefined && !isWholeNumber(value, field.endsWith('Ms') ? TIMER_MS_MAX : Number.MAX_SAFE_INTEGER))
      return `limits.${field} of "${name}" is not a whole number above 0.`
  }
  return null
}

const settingsProblem = (name: string, settings: unknown): string | null => {
  if (settings === undefined) return null
  if (!isFields(settings)) return `the settings of "${name}" are not an object.`
  for (const [field, value] of Object.entries(settings)) {
    const check = SETTINGS[field]
    if (!check) return `settings.${field} of "${name}" is no setting: there are ${Object.keys(SETTINGS).join(', ')}.`
    if (value !== undefined && !check.fits(value)) return `settings.${field} of "${name}" is not ${check.kind}.`
  }
  return null
}

const REASONING_EFFORTS: readonly unknown[] = [
  'provider-default',
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] satisfies ModelSettings['reasoning'][]

const SETTINGS: Record<string, { readonly kind: string; readonly fits: (value: unknown) => boolean }> = {
  temperature: { kind: 'a number of at least 0', fits: (value) => Number.isFinite(value) && (value as number) >= 0 },
  maxOutputTokens: { kind: 'a whole number above 0', fits: (value) => isWholeNumber(value, Number.MAX_SAFE_INTEGER) },
  reasoning: {
    kind: `one of ${REASONING_EFFORTS.join(', ')}`,
    fits: (value) => REASONING_EFFORTS.includes(value),
  },
  providerOptions: {
    kind: 'an object with an object for each provider',
    fits: (value) => isFields(value) && Object.values(value).every(isFields),
  },
}

const isWholeNumber = (value: unknown, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !isList(value)
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
