// A model agent: an agent without a `run` function. A language model decides what happens next, and the loop does it.
import { present } from '@bridle/events/json'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import type { AgentOptions } from './agent.ts'
import type { Middleware } from './middleware/middleware.ts'
import type { LanguageModel, ModelSettings } from './model/model.ts'
import type { PolicyRule } from './policy.ts'
import type { OutputOf, StandardSchema } from './schemas/standard-schema.ts'
import type { SkillChoice } from './skills/skill.ts'
import type { Tool } from './tools/tool.ts'
import type { ToolSource } from './tools/tool-source.ts'

/** Answers of a model in a turn: real work takes a dozen, and a model that walks in circles is stopped before it costs much. */
const STEPS_MAX = 50
/** Tool calls in a turn: four for each answer, more than any turn that gets somewhere. */
const TOOL_CALLS_MAX = 200
/** Work in a turn, without waiting: a person who wants more asks for more. */
const TURN_MS_MAX = 30 * 60_000
/** Time for a tool of a model agent: a build or a slow page; a tool that needs longer says so. */
const TOOL_TIMEOUT_MS = 60_000
/** The default of `limits.stallMs`: a model that thinks long still streams something within two minutes. */
const STALL_MS = 120_000

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
  /** Tokens that the model can read at once; default: those of the model, where Bridle knows it, else 128,000. */
  readonly windowTokens?: number
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
  /** The tools that the model may call, each under a name of its own, and sources of further ones. */
  readonly tools?: readonly (Tool | ToolSource)[]
  /** Folders with skills, relative to the project, and skills as values. The model reads a skill when a task fits its description. */
  readonly skills?: readonly SkillChoice[]
  /** Rules about the calls of the model: which are allowed, asked about, or denied. */
  readonly policy?: readonly PolicyRule[]
  /** Middleware, the first one outermost. */
  readonly use?: readonly Middleware[]
  /** Bounds of one turn. */
  readonly limits?: AgentLimits
  /** Settings of each request to the model. */
  readonly settings?: ModelSettings
  /** A model agent has no `run` function. */
  readonly run?: never
  /** A model agent is always durable. */
  readonly durable?: never
  /** A model agent has no engine. */
  readonly engine?: never
}

/** The part of an agent's definition that only a model agent fills in. */
export interface ModelAgentFields {
  /** The models, in the order in which they are asked; null = the agent has a `run` function instead. */
  readonly model: readonly ModelChoice[] | null
  /** The instructions; null = none. */
  readonly instructions: Instructions<unknown> | null
  /** The tools and the sources of tools; a `run` function makes calls of its own instead. */
  readonly tools: readonly (Tool | ToolSource)[]
  /** The folders with skills, and skills as values. */
  readonly skills: readonly SkillChoice[]
  /** The rules about the calls of the model. */
  readonly policy: readonly PolicyRule[]
  /** The middleware, in its order. */
  readonly use: readonly Middleware[]
  /** The limits, with a default for each but the window, which is the model's. */
  readonly limits: Required<Omit<AgentLimits, 'windowTokens'>> & Pick<AgentLimits, 'windowTokens'>
  /** The settings of each request. */
  readonly settings: ModelSettings
}

/** Options that only a model agent takes: a `run` function with one of them is a mistake. */
export const MODEL_OPTIONS = ['instructions', 'tools', 'skills', 'policy', 'use', 'limits', 'settings'] as const

/** The options of a model agent, each of which may be missing. */
export type PartialModelOptions = Pick<
  Partial<ModelAgentOptions<StandardSchema, StandardSchema>>,
  'model' | (typeof MODEL_OPTIONS)[number]
>

export const modelAgentFields = (options: PartialModelOptions): ModelAgentFields => {
  const { model, instructions = null, tools = [], skills = [] } = options
  const { policy = [], use = [], limits = {}, settings = {} } = options
  return {
    model: model === undefined ? null : Object.freeze(Array.isArray(model) ? [...model] : [model]),
    instructions,
    tools: Object.freeze([...tools]),
    skills: Object.freeze([...skills]),
    policy: Object.freeze([...policy]),
    use: Object.freeze([...use]),
    limits: Object.freeze({ ...DEFAULT_LIMITS, ...present(limits) }),
    settings: Object.freeze(present(settings)),
  }
}

export const DEFAULT_LIMITS = {
  steps: STEPS_MAX,
  calls: TOOL_CALLS_MAX,
  turnMs: TURN_MS_MAX,
  toolMs: TOOL_TIMEOUT_MS,
  stallMs: STALL_MS,
}
