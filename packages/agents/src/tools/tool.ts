// `tool({...})` defines a tool that a model may call: its name, its schema, its effect and its `run` function.

import type { JsonObject } from '@bridle/events/json'
import type { Payloads, ToolEffect } from '@bridle/events/schemas'
import type { Directive } from '@bridle/kernel/directive'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import { isSchema, missingJsonSchema, type OutputOf, type StandardSchema } from '../schemas/standard-schema.ts'
import { EXPIRY_MS_MAX, TIMER_MS_MAX } from '../session/limits.ts'
import { unknownFieldProblem } from '../session/unknown-field.ts'
import type { AgentSession, EmittableEventType, ToolContext } from '../session.ts'
import { directiveFields, payloadInput } from './directive-tool.ts'

/** The definition of a tool: its name and description for the model, its schema, its effect and its `run` function. */
export interface ToolDeclaration<In extends StandardSchema<object, unknown>> {
  /** Letters, digits, `_` and `-`, at most 64: the name by which the model calls the tool. */
  readonly name: string
  /** Tells the model what the tool does and when to call it. */
  readonly description: string
  /** Any Standard Schema of an object that can be written as JSON Schema: Zod, ArkType, Valibot. Absent: any JSON object. */
  readonly input?: In
  /** Whether the call may be repeated after a crash in the middle of it; default unsafe: only after a person agrees. */
  readonly effect?: ToolEffect
  /**
   * Names the things that a call touches, such as paths. Calls of one answer run at the same time where both are pure, or where
   * both name their things and have none in common.
   */
  readonly resources?: (input: OutputOf<In>) => readonly string[]
  /** Waits for a person's approval first. The person may edit the arguments. A function decides for each call. */
  readonly approve?: ToolApprovalRule<OutputOf<In>>
  /** Milliseconds for `run`; waiting for approval does not count. Default: `limits.toolMs` of the agent, one minute. */
  readonly timeoutMs?: number
  /** The model is offered the tool in every turn, also where the agent has more tools than it can be offered. */
  readonly always?: boolean
  /** Does the work. The model reads the value that it returns, or the message of the error that it throws. */
  readonly run: (input: OutputOf<In>, context: ToolCallContext) => unknown
  /** A tool has either a `run` function or a directive. */
  readonly directive?: never
}

/** The definition of a tool whose call becomes a directive for the shell. The model learns that the directive was sent. */
export interface DirectiveToolDeclaration<In extends StandardSchema<object, unknown>>
  extends Omit<ToolDeclaration<In>, 'run' | 'directive' | 'effect' | 'resources' | 'timeoutMs'> {
  /** The type of the directive, such as `render_ui`, or its fields. The arguments of the call are its payload. */
  readonly directive: string | DirectiveFields
  /** The schema of the payload. Absent: that of the core type, or any JSON object. */
  readonly input?: In
}

/** The fields of a directive beside its payload. */
export type DirectiveFields = Omit<Directive, 'payload'>

/** Whether a call needs an approval: a fixed rule, or a function of the input. */
export type ToolApprovalRule<Input> = boolean | ToolApprovalTerms | ((input: Input) => boolean | ToolApprovalTerms)

/** An approval that a call needs. */
export interface ToolApprovalTerms {
  /** The reason that the person reads. */
  readonly reason?: string
  /** The time that the person has; afterwards the call is not made. Default: no limit. */
  readonly expiresMs?: number
}

/** A call as the `run` function of its tool sees it. */
export interface ToolCallContext extends ToolContext {
  /** The session that the call belongs to. */
  readonly session: ToolSession
}

/** The session as a tool sees it: everything but the answer, which the model writes. */
export interface ToolSession extends Pick<AgentSession, 'id' | 'artifact' | 'directive' | 'usage' | 'memory'> {
  /** The conversation of this branch so far. */
  messages(): Promise<readonly HarnessMessage[]>
  /** Appends an event of the catalogue that a tool may emit; the payload is checked. */
  emit<T extends ToolEventType>(type: T, payload: Payloads[T]): Promise<void>
  /** Appends a custom event. Its name is not in the catalogue: letters, digits and `. _ : -`; its payload has at most 64,000 characters of JSON. */
  emit<T extends string>(type: T extends keyof Payloads ? never : T, payload: JsonObject): Promise<void>
}

/**
 * Events that a tool may emit: neither text of the answer, nor facts about calls, nor facts by which the loop goes on after a crash. The
 * loop writes all of these itself.
 */
export type ToolEventType = Exclude<EmittableEventType, (typeof LOOP_EVENT_TYPES)[number]>
const LOOP_EVENT_TYPES = [
  'token',
  'response',
  'thinking',
  'reflection',
  'tool_call',
  'tool_result',
  'tool_outcome',
  'tool_batch',
  'tool_selected',
  'tool_validation_error',
  // The loop goes on from these: where a turn stands, which tools it offers, which model it asks, and what a summary replaced.
  'turn_start_tools',
  'context_warning',
  'context_compacted',
  'hook_event',
  'transport_diagnostic',
] as const satisfies readonly EmittableEventType[]

export const isLoopEventType = (type: string): boolean => (LOOP_EVENT_TYPES as readonly string[]).includes(type)

/** A tool. Only `tool()` makes one. */
export interface Tool {
  /** The name by which the model calls the tool. */
  readonly name: string
  /** Tells the model what the tool does and when to call it. */
  readonly description: string
  /** The schema of the arguments; null = any JSON object. */
  readonly input: StandardSchema | null
  /** Whether the call may be repeated after a crash in the middle of it. */
  readonly effect: ToolEffect
  /** Names the things that a call touches; null = unknown. */
  readonly resources: ((input: unknown) => readonly string[]) | null
  /** Whether a call needs an approval. */
  readonly approve: ToolApprovalRule<unknown>
  /** Milliseconds for `run`; null = as the agent's limits say. */
  readonly timeoutMs: number | null
  /** The model is offered the tool in every turn. */
  readonly always: boolean
  /** The directive that a call becomes, without its payload; null = the tool only runs. */
  readonly directive: DirectiveFields | null
  /** A call asks the user what its arguments say, and its result is the answer. Only `askQuestion()` makes such a tool. */
  readonly isQuestion: boolean
  /** The function that does the work. */
  readonly run: (input: unknown, context: ToolCallContext) => unknown
}

/**
 * Makes a tool of a name, a description and a `run` function, for the `tools` of an agent with a model. Throws a TypeError that
 * names the field that is wrong.
 */
export const tool = <In extends StandardSchema<object, unknown> = StandardSchema<JsonObject>>(
  declared: ToolDeclaration<In> | DirectiveToolDeclaration<In>,
): Tool => makeTool(declared, false)

/** A tool whose input is a request for answers, with the answer in it once there is one. */
export const questionTool = <In extends StandardSchema<object, unknown>>(declared: ToolDeclaration<In>): Tool =>
  makeTool(declared, true)

const makeTool = <In extends StandardSchema<object, unknown>>(
  declared: ToolDeclaration<In> | DirectiveToolDeclaration<In>,
  isQuestion: boolean,
): Tool => {
  const { directive, declaration } = asDirectiveTool(declared)
  const problem = problemOf(declaration)
  if (problem !== null) throw new TypeError(`tool(): ${problem}`)
  const { name, description, input = null, effect = 'unsafe', resources, approve = false } = declaration
  const { timeoutMs, always = false, run } = declaration
  const made: Tool = {
    name,
    description,
    input,
    effect,
    resources: (resources as Tool['resources'] | undefined) ?? null,
    approve: (typeof approve === 'object' ? Object.freeze({ ...approve }) : approve) as Tool['approve'],
    timeoutMs: timeoutMs ?? null,
    always,
    directive,
    isQuestion,
    run: run as Tool['run'],
  }
  return Object.freeze(Object.defineProperty(made, brand, { value: true }))
}

/**
 * A tool with a directive does nothing by itself: the directive is in the log together with the outcome of the call. Its calls are
 * idempotent and not pure, so that directives come in the order of the calls.
 */
const asDirectiveTool = <In extends StandardSchema<object, unknown>>(
  declared: ToolDeclaration<In> | DirectiveToolDeclaration<In>,
): { readonly directive: DirectiveFields | null; readonly declaration: ToolDeclaration<In> } => {
  if (declared?.directive === undefined) return { directive: null, declaration: declared as ToolDeclaration<In> }
  const directive = directiveFields(declared.directive)
  if ('run' in declared) throw new TypeError(`tool(): "${declared.name}" has a directive, so remove its run function.`)
  const { directive: _fields, input = payloadInput(directive.action_type), ...rest } = declared
  const declaration = {
    ...rest,
    ...(input && { input }),
    effect: 'idempotent',
    run: () => ({ sent: directive.action_type }),
  }
  return { directive, declaration: declaration as unknown as ToolDeclaration<In> }
}

/** In the global registry, so that a tool made by another copy of the package counts too. */
const brand = Symbol.for('bridle.tool')

export const isTool = (value: unknown): value is Tool => typeof value === 'object' && value !== null && brand in value

/** The tool that an agent with an output schema has besides its own: the model gives its result as the arguments. */
export const ANSWER_TOOL = 'answer'

/** Providers take no other names. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/
const EFFECTS: readonly unknown[] = ['pure', 'idempotent', 'unsafe'] satisfies ToolEffect[]

const FIELDS: readonly (keyof Tool)[] = [
  'name',
  'description',
  'input',
  'effect',
  'resources',
  'approve',
  'timeoutMs',
  'always',
  'directive',
  'run',
]

const problemOf = (declaration: unknown): string | null => {
  if (typeof declaration !== 'object' || declaration === null)
    return 'it takes an object: tool({ name, description, input, run }).'
  const fields = declaration as { readonly [name: string]: unknown }
  const { name, description, input, effect, resources, approve, timeoutMs, always, run } = fields
  if (typeof name !== 'string' || !NAME.test(name))
    return 'the name may have letters, digits, _ and - only, at most 64.'
  if (typeof run !== 'function') return `"${name}" has no run function.`
  if (typeof description !== 'string' || description.trim() === '')
    return `"${name}" has no description: write for the model what the tool does and when to call it.`
  const unknownField = unknownFieldProblem(fields, FIELDS)
  if (unknownField !== null) return `"${name}": ${unknownField}`
  if (input !== undefined && !isSchema(input)) return `the input of "${name}" is not a Standard Schema.`
  const missing = input === undefined ? null : missingJsonSchema(input as StandardSchema)
  if (missing !== null) return `the input of "${name}" ${missing}`
  if (effect !== undefined && !EFFECTS.includes(effect))
    return `the effect of "${name}" is not pure, idempotent or unsafe.`
  if (resources !== undefined && typeof resources !== 'function')
    return `the resources of "${name}" are not a function of the input.`
  if (timeoutMs !== undefined && !isMs(timeoutMs, TIMER_MS_MAX))
    return `timeoutMs of "${name}" is not between 1 and ${TIMER_MS_MAX}.`
  if (always !== undefined && typeof always !== 'boolean') return `always of "${name}" is not a boolean.`
  return typeof approve === 'function' || approve === undefined
    ? null
    : approvalProblem(`approve of "${name}"`, approve)
}

/** The reason why a value says nothing about an approval; null where it does. */
export const approvalProblem = (subject: string, approve: unknown): string | null => {
  if (typeof approve === 'boolean') return null
  if (typeof approve !== 'object' || approve === null)
    return `${subject} is neither a boolean nor { reason, expiresMs }.`
  const { reason, expiresMs } = approve as { readonly [name: string]: unknown }
  if (reason !== undefined && typeof reason !== 'string') return `the reason in ${subject} is not a text.`
  return expiresMs === undefined || isMs(expiresMs, EXPIRY_MS_MAX)
    ? null
    : `expiresMs in ${subject} is not between 1 and ${EXPIRY_MS_MAX}.`
}

const isMs = (value: unknown, max: number): boolean => typeof value === 'number' && value >= 1 && value <= max
