// `agent({...})` defines an agent in TypeScript: its name, its schemas, and its `run` function or its model. A runner runs it.

import type { JsonObject } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import {
  ENGINE_OPTIONS,
  type EngineAgent,
  type EngineAgentOptions,
  engineAgentOf,
  engineAgentProblem,
  type PartialEngineOptions,
} from './engine-agent.ts'
import {
  MODEL_OPTIONS,
  type ModelAgentFields,
  type ModelAgentOptions,
  modelAgentFields,
  type PartialModelOptions,
} from './model-agent.ts'
import { modelAgentProblem } from './model-agent-problem.ts'
import { type InputOf, isSchema, type OutputOf, type StandardSchema } from './schemas/standard-schema.ts'
import type { Attachment } from './session/attachments.ts'
import { type DirectiveSchemas, directiveSchemasProblem } from './session/directive-schemas.ts'
import { unknownFieldProblem } from './session/unknown-field.ts'
import type { AgentSession } from './session.ts'

/**
 * The argument of an agent's `run` function: the input, the session to speak through, and the signal that ends the
 * run.
 */
export interface RunContext<Input> {
  /** The input as its schema returns it. */
  readonly input: Input
  /** Appends everything that the run says and does to the log, before any client sees it. */
  readonly session: AgentSession
  /** The files that came with the prompt, in their order. */
  readonly attachments: readonly Attachment[]
  /** Aborts when the run is cancelled, and when it ends. */
  readonly signal: AbortSignal
  /** The session's folder, if it was started with a workspace. */
  readonly workspace?: string
}

/** The input of an agent that declares none. Other fields come from shells of OpenHarness. */
export type PromptInput = JsonObject & {
  /** The text of the prompt. */
  readonly prompt: string
}

/** The options that every agent takes: its name and the schemas of its input and output. */
export interface AgentOptions<In extends StandardSchema, Out extends StandardSchema> {
  /** Letters, digits and `. _ : @ -`, at most 128: the name is part of URLs. */
  readonly name: string
  /** A sentence for people, shown where agents are listed. */
  readonly description?: string
  /** Any Standard Schema. Absent: `{ prompt: string }`, and nothing else but files. */
  readonly input?: In
  /** Any Standard Schema. Absent: any JSON. A run that returns nothing has its streamed text as the result. */
  readonly output?: Out
  /** The ways besides a signed-in caller by which a run starts. */
  readonly triggers?: AgentTriggers
}

/** The definition of an agent with a `run` function. */
export interface FunctionAgentOptions<In extends StandardSchema, Out extends StandardSchema, Returned = InputOf<Out>>
  extends AgentOptions<In, Out> {
  /** Does the work of one run. The value it returns is the result; an error it throws fails the run. */
  readonly run: (context: RunContext<OutputOf<In>>) => Returned | Promise<Returned>
  /**
   * Whether another process continues a run whose process ended; default true. It calls `run` again, and every step, tool call
   * and approval that is in the log returns what the log says. False: for functions with effects outside of these.
   */
  readonly durable?: boolean
  /**
   * Schemas for the payloads of namespaced directives, by their `action_type`. `session.directive` throws a TypeError where a payload does
   * not fit. A type without a schema takes any object.
   */
  readonly directives?: DirectiveSchemas
  /** An agent has a `run` function, a model or an engine. */
  readonly model?: never
  /** An agent has a `run` function, a model or an engine. */
  readonly engine?: never
}

/** The ways besides a signed-in caller by which an agent's run starts. */
export interface AgentTriggers {
  /** Exposes the agent on the public route in production. */
  readonly webhook?: boolean
}

/** An agent. Only `agent()` makes one. */
export interface AgentDefinition extends ModelAgentFields {
  /** The agent's name, which is part of its address. */
  readonly name: string
  /** A sentence for people; empty where none was given. */
  readonly description: string
  /** The schema of the input; null = a prompt. */
  readonly input: StandardSchema | null
  /** The schema of the result; null = any JSON. */
  readonly output: StandardSchema | null
  /** The triggers, with a default for each. */
  readonly triggers: Required<AgentTriggers>
  /** The function that does the work of one run; null = the agent has a model instead. */
  readonly run: ((context: RunContext<unknown>) => unknown) | null
  /** Whether another process continues a run whose process ended. */
  readonly durable: boolean
  /** The engine that plays the turns; null = the agent has a `run` function or a model. */
  readonly engine: EngineAgent | null
  /** Schemas for the payloads of its namespaced directives. */
  readonly directives: DirectiveSchemas
  /** Made by `sop()`. On OpenHarness its conversation returns to the default agent when the run ends. */
  readonly isProcedure?: true
}

/**
 * Makes an agent of a name and a `run` function, a model or an engine. A file in `agents/` has the agent as its default export.
 * Throws a TypeError that names the field that is wrong.
 */
export function agent<
  Returned extends LiteralValue<Literal>,
  Literal extends Primitive,
  In extends StandardSchema = StandardSchema<PromptInput>,
  Out extends StandardSchema = StandardSchema,
>(
  options: FunctionAgentOptions<In, Out, Returned> & {
    readonly run: (context: never) => InputOf<Out> | Promise<InputOf<Out>>
  },
): AgentDefinition
export function agent<
  In extends StandardSchema = StandardSchema<PromptInput>,
  Out extends StandardSchema = StandardSchema,
>(options: ModelAgentOptions<In, Out>): AgentDefinition
export function agent(options: EngineAgentOptions): AgentDefinition
export function agent(options: unknown): AgentDefinition {
  return defineAgent(options as AnyAgentOptions)
}

/** `agent()`, with the fields that only the package may set. */
export const defineAgent = (
  options: AnyAgentOptions,
  origin: Pick<AgentDefinition, 'isProcedure'> = {},
): AgentDefinition => {
  const problem = problemOf(options)
  if (problem !== null) throw new TypeError(`agent(): ${problem}`)
  const {
    name,
    description = '',
    input = null,
    output = null,
    triggers,
    run = null,
    durable = true,
    directives = {},
  } = options
  const definition: AgentDefinition = {
    name,
    description,
    input,
    output,
    triggers: Object.freeze({ webhook: triggers?.webhook === true }),
    run,
    durable,
    engine: isEngineAgent(options) ? engineAgentOf(options) : null,
    directives: Object.freeze({ ...directives }),
    ...modelAgentFields(isEngineAgent(options) ? {} : options),
    ...origin,
  }
  return Object.freeze(Object.defineProperty(definition, brand, { value: true }))
}

const isEngineAgent = (options: object): options is EngineAgentOptions =>
  (options as { readonly engine?: unknown }).engine !== undefined

/** The options of any kind of agent, once their types no longer matter. */
type AnyAgentOptions = AgentOptions<StandardSchema, StandardSchema> &
  PartialEngineOptions &
  PartialModelOptions & {
    readonly run?: (context: RunContext<unknown>) => unknown
    readonly durable?: boolean
    readonly directives?: DirectiveSchemas
  }

// biome-ignore lint/suspicious/noConfusingVoidType: a run may return nothing at all.
type Primitive = string | number | boolean | null | undefined | void
/** Any value. Written as a union, so that TypeScript infers `{ severity: 'low' }` and not `{ severity: string }`. */
type LiteralValue<Literal> =
  | Literal
  | object
  | readonly LiteralValue<Literal>[]
  | { readonly [name: string]: LiteralValue<Literal> }

/** In the global registry, so that an agent made by another copy of the package counts too. */
const brand = Symbol.for('bridle.agent')

export const isAgent = (value: unknown): value is AgentDefinition =>
  typeof value === 'object' && value !== null && brand in value

/** A file has an agent as its default export; the options of a server have a list of them. */
const AGENT_PLACES = {
  file: {
    subject: 'The default export',
    absent: 'There is no default export.',
    remedy: 'Write: export default agent({ name, run }).',
  },
  options: {
    subject: 'An entry of agents',
    absent: 'An entry of agents is undefined.',
    remedy: 'Write: agents: [agent({ name, run })].',
  },
} as const

/** The reason why a value is no agent, and what to write instead, for the author of the file or of the options. */
export const nonAgentProblem = (value: unknown, place: keyof typeof AGENT_PLACES): string => {
  const { subject, absent, remedy } = AGENT_PLACES[place]
  if (value === undefined) return `${absent} ${remedy}`
  const kind = typeof value === 'function' ? 'function' : value === null ? 'null' : `plain ${typeof value}`
  return `${subject} is a ${kind}, not an agent. ${remedy}`
}

const FIELDS: readonly (keyof AnyAgentOptions)[] = [
  ...(['name', 'description', 'input', 'output', 'triggers', 'run', 'durable', 'directives', 'model'] as const),
  ...MODEL_OPTIONS,
  ...ENGINE_OPTIONS,
]

const problemOf = (options: unknown): string | null => {
  if (typeof options !== 'object' || options === null)
    return 'it takes an object: agent({ name, run }), agent({ name, model }) or agent({ name, engine }).'
  const fields = options as { readonly [name: string]: unknown }
  const { name, description, input, output, triggers, run, model, engine } = fields
  // A misspelt field comes first: without it another one seems to be missing.
  const unknownField = unknownFieldProblem(fields, FIELDS)
  if (unknownField !== null) return isId(name) ? `"${name}": ${unknownField}` : unknownField
  if (!isId(name)) return 'the name may have letters, digits and . _ : @ - only, at most 128.'
  if (run !== undefined && engine !== undefined) return `"${name}" has both run and engine: leave one of them out.`
  if (run !== undefined && model !== undefined) return `"${name}" has both run and model: leave one of them out.`
  if (engine === undefined && model === undefined && typeof run !== 'function')
    return `"${name}" has no run function, no model and no engine.`
  if (description !== undefined && typeof description !== 'string') return `the description of "${name}" is not a text.`
  for (const [role, schema] of Object.entries({ input, output })) {
    if (schema !== undefined && !isSchema(schema)) return `the ${role} of "${name}" is not a Standard Schema.`
  }
  const problem = kindProblem(name, fields)
  if (problem !== null || triggers === undefined) return problem
  if (typeof triggers !== 'object' || triggers === null) return `the triggers of "${name}" are not an object.`
  const { webhook } = triggers as AgentTriggers
  if (webhook !== undefined && typeof webhook !== 'boolean') return `triggers.webhook of "${name}" is not a boolean.`
  const unknownTrigger = unknownFieldProblem(triggers, ['webhook'])
  return unknownTrigger === null ? null : `triggers of "${name}": ${unknownTrigger}`
}

/** The first field that does not fit the agent's kind, as a sentence; null = none. */
const kindProblem = (name: string, fields: { readonly [name: string]: unknown }): string | null => {
  if (fields.engine !== undefined) return engineAgentProblem(name, fields)
  const option = ENGINE_OPTIONS.find((each) => fields[each] !== undefined)
  if (option !== undefined) return `${option} of "${name}" is for agents with an engine: give it one, or leave it out.`
  return fields.model === undefined ? functionAgentProblem(name, fields) : modelAgentProblem(name, fields)
}

const functionAgentProblem = (name: string, fields: { readonly [name: string]: unknown }): string | null => {
  if (fields.durable !== undefined && typeof fields.durable !== 'boolean')
    return `durable of "${name}" is not a boolean.`
  const problem = fields.directives === undefined ? null : directiveSchemasProblem(fields.directives)
  if (problem !== null) return `directives of "${name}": ${problem}`
  const option = MODEL_OPTIONS.find((each) => fields[each] !== undefined)
  return option === undefined ? null : `${option} of "${name}" is for agents with a model; this one has a run function.`
}
