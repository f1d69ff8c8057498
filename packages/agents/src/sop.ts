// `sop({...})` defines a standard operating procedure: steps that run one after the other in a durable function. A run that waits, or
// whose process ended, goes on at its step.

import type { QuestionAnswer } from '@bridle/events/answers'
import { isJsonObject, type Json, type JsonObject, present } from '@bridle/events/json'
import { parseQuestions } from '@bridle/events/questions'
import type { Directive } from '@bridle/kernel/directive'
import { INPUT_SUBJECT, inputText } from '@bridle/kernel/user-input'
import { type AgentDefinition, defineAgent, type RunContext } from './agent.ts'
import { isSchema, type StandardSchema } from './schemas/standard-schema.ts'
import type { DirectiveSchemas } from './session/directive-schemas.ts'
import type { FormSchema, QuestionInput } from './session/questions.ts'
import type { AgentSession, ToolContext, ToolOptions } from './session.ts'

/** Steps of one run of a procedure: a person waits for less, and a branch that leads back for ever does not. */
export const SOP_STEPS_MAX = 1_000

/** The values that the steps have collected so far, by the id of their step; `input` is the input of the run. */
export type SopValues = JsonObject

/** A value, or a function of the collected values. The function only computes: it runs again when the run goes on after a crash. */
export type SopValue<T> = T | ((values: SopValues) => T)

/** A step of a procedure: its id, and exactly one thing to do. */
export type SopStep = { readonly id: string } & (
  | SopSayStep
  | SopAskStep
  | SopApproveStep
  | SopCallStep
  | SopDirectiveStep
  | SopWaitStep
  | SopBranchStep
)

/** Says a text. */
export interface SopSayStep {
  /** The text. */
  readonly say: SopValue<string>
}

/**
 * Asks the user, and waits. The value is the answer: a text, the label of an option, a list of them, or the values of a form. It is null where
 * the user declined, or the time is over.
 */
export interface SopAskStep extends Pick<QuestionInput, 'header' | 'options' | 'multi_select' | 'allow_free_text'> {
  /** The question, or the sentence above a form. */
  readonly ask: SopValue<string>
  /** A form instead of a text: the JSON Schema of an object, or a Standard Schema that can be written as one. */
  readonly form?: FormSchema | StandardSchema<object, unknown>
  /** The value that applies when the time is over. */
  readonly default?: Json
  /** The time that the user has, in milliseconds. Default: no limit. */
  readonly expiresMs?: number
}

/** Asks for an approval, and waits. The value is true or false. */
export interface SopApproveStep {
  /** The reason that the person reads. */
  readonly approve: SopValue<string>
  /** The details that the person sees. */
  readonly args?: SopValue<JsonObject>
  /** The time that the person has, in milliseconds. Default: no limit. */
  readonly expiresMs?: number
}

/** Calls a tool. The value is its result. */
export interface SopCallStep {
  /** Does the work. */
  readonly call: (args: JsonObject, context: ToolContext) => unknown
  /** The arguments; absent: none. */
  readonly args?: SopValue<JsonObject>
  /** Whether the call may be repeated after a crash in the middle of it; default unsafe: only after a person agrees. */
  readonly effect?: ToolOptions<JsonObject>['effect']
}

/** Tells the shell to render or to execute something. */
export interface SopDirectiveStep {
  /** The directive. */
  readonly directive: SopValue<Directive>
}

/** Waits for a signal. The value is its payload; null where none came in time. */
export interface SopWaitStep {
  /** The name of the signal. */
  readonly waitFor: string
  /** The time that the signal has, in milliseconds. Default: no limit. */
  readonly expiresMs?: number
}

/** Decides where to go on. */
export interface SopBranchStep {
  /** The id of the next step, or `end`; nothing goes on with the step below. */
  readonly branch: (values: SopValues) => string | undefined
}

/** The definition of a procedure. */
export interface SopOptions {
  /** The name of the procedure: a shell asks for it as `task_hint.sop_id`. */
  readonly id: string
  /** A sentence for people, shown where agents are listed. */
  readonly description?: string
  /** The steps, in order. */
  readonly steps: readonly SopStep[]
  /** Schemas for the payloads of namespaced directives, by their `action_type`: a payload that does not fit fails the run. */
  readonly directives?: DirectiveSchemas
}

/**
 * Makes an agent of a list of steps. Its runs are durable, and their result is what the steps have collected. Throws a TypeError that
 * names the step that is wrong.
 */
export const sop = ({ id, description, steps, directives = {} }: SopOptions): AgentDefinition => {
  const problem = stepsProblem(steps)
  if (problem !== null) throw new TypeError(`sop(): ${problem}`)
  const options = {
    name: id,
    ...(description !== undefined && { description }),
    directives,
    run: ({ session, input }: RunContext<unknown>) => runSteps(steps, session, { input: input as Json }),
  }
  return defineAgent(options, { isProcedure: true })
}

const runSteps = async (steps: readonly SopStep[], session: AgentSession, values: SopValues): Promise<JsonObject> => {
  let collected = values
  let hasText = false
  for (let at = 0, count = 0; at < steps.length; count++) {
    if (count >= SOP_STEPS_MAX)
      throw new Error(`The procedure took more than ${SOP_STEPS_MAX} steps: check its branches.`)
    const step = steps[at] as SopStep
    const place = { title: step.id, index: at + 1, total: steps.length }
    const show = (status: string) =>
      session.emit('step_progress', { step_id: step.id, status, summary: kindOf(step), ...place })
    await show('running')
    if ('branch' in step) {
      const next = step.branch(structuredClone(collected)) ?? null
      at = next === null ? at + 1 : next === END ? steps.length : steps.findIndex(({ id }) => id === next)
      if (at < 0) throw new Error(`The branch "${step.id}" leads to "${next}", but there is no such step.`)
    } else {
      const value = await runStep(step, session, structuredClone(collected), hasText ? '\n\n' : '')
      hasText ||= 'say' in step
      if (value !== undefined) collected = { ...collected, [step.id]: value }
      at += 1
    }
    await show('completed')
  }
  const { input: _input, ...result } = collected
  return result
}

/** Undefined: the step has no value. */
const runStep = async (
  step: Exclude<SopStep, SopBranchStep>,
  session: AgentSession,
  values: SopValues,
  separator: string,
): Promise<Json | undefined> => {
  if ('say' in step) return void (await session.text(`${separator}${resolveValue(step.say, values)}`))
  if ('directive' in step) return void (await session.directive(resolveValue(step.directive, values)))
  if ('waitFor' in step) return session.waitFor<Json>(step.waitFor, expiry(step))
  if ('ask' in step) {
    if (isShaped(step)) return askInShape(step, session, values)
    const args = { step: step.id, answer: '' }
    const question = { subject: INPUT_SUBJECT, reason: resolveValue(step.ask, values), args, ...expiry(step) }
    const { approved, args: given } = await session.approval(question)
    return approved ? (inputText(given) ?? null) : null
  }
  if ('approve' in step) {
    const question = { subject: step.id, reason: resolveValue(step.approve, values), ...expiry(step) }
    return (await session.approval({ ...question, args: resolveValue(step.args ?? {}, values) })).approved
  }
  const options = step.effect === undefined ? {} : { effect: step.effect }
  const result = await session.tool(step.id, resolveValue(step.args ?? {}, values), step.call, options)
  return (result ?? null) as Json
}

/** Fields that make a step more than a question for a text. */
const ASK_FIELDS = ['header', 'options', 'multi_select', 'allow_free_text', 'form', 'default'] as const

const isShaped = (step: object): boolean => 'ask' in step && ASK_FIELDS.some((field) => field in step)

/** Null: declined, or the time is over. */
const askInShape = async (step: AskStep, session: AgentSession, values: SopValues): Promise<Json> => {
  const { id, ask, form, default: byDefault } = step
  const text = resolveValue(ask, values)
  if (form) {
    const options = { reason: text, ...expiry(step), ...present({ default: byDefault as JsonObject | undefined }) }
    return (await session.ask<JsonObject>(form as FormSchema, options)).values
  }
  const options = {
    ...expiry(step),
    ...(byDefault !== undefined && { default: { [id]: byDefault as QuestionAnswer } }),
  }
  const { answers } = await session.ask<readonly QuestionInput[]>([questionOf(step, text)], options)
  return answers?.[id] ?? null
}

type AskStep = SopAskStep & { readonly id: string }

/** Without options any text is an answer. */
const questionOf = ({ id, header, options, multi_select, allow_free_text }: AskStep, text: string): QuestionInput => ({
  ...{ id, question: text },
  ...present({ header, options, multi_select, allow_free_text: options ? allow_free_text : true }),
})

/** A form in a schema library is checked when it is asked: browsers load procedures without the library. */
const askProblem = (step: AskStep): string | null => {
  const { id, form, default: byDefault } = step
  if (isSchema(form)) return null
  const asked = form
    ? { schema: form, ...present({ default: byDefault }) }
    : { questions: [questionOf(step, '?')], ...(byDefault !== undefined && { default: { [id]: byDefault } }) }
  const request = parseQuestions(asked)
  return 'problem' in request ? `the step "${id}" cannot be asked: ${request.problem}` : null
}

const END = 'end'

const expiry = ({ expiresMs }: { readonly expiresMs?: number }) => (expiresMs === undefined ? {} : { expiresMs })

const resolveValue = <T>(value: SopValue<T>, values: SopValues): T =>
  typeof value === 'function' ? (value as (values: SopValues) => T)(values) : value

const KINDS = ['say', 'ask', 'approve', 'call', 'directive', 'waitFor', 'branch'] as const

const kindOf = (step: object): string => KINDS.find((kind) => kind in step) ?? ''

const stepsProblem = (steps: unknown): string | null => {
  if (!Array.isArray(steps) || steps.length === 0) return 'it takes { id, steps }, with at least one step.'
  const ids = new Set<unknown>([END, 'input'])
  for (const [index, step] of steps.entries()) {
    const label = `step ${index + 1}`
    if (!isJsonObject(step) || typeof step.id !== 'string' || !STEP_ID.test(step.id))
      return `${label} needs an id of letters, digits, _ and -, at most 64.`
    if (ids.has(step.id)) return `${label}: the id "${step.id}" is taken.`
    ids.add(step.id)
    if (KINDS.filter((kind) => kind in step).length !== 1)
      return `the step "${step.id}" does not do exactly one of ${KINDS.join(', ')}.`
    const action: unknown = step[kindOf(step)]
    const isFunction = typeof action === 'function'
    if (('call' in step || 'branch' in step) && !isFunction)
      return `"${kindOf(step)}" of the step "${step.id}" is not a function.`
    if (!isFunction && !('directive' in step ? isJsonObject(action) : typeof action === 'string'))
      return `"${kindOf(step)}" of the step "${step.id}" is neither a value nor a function.`
    const misfit = isShaped(step) ? askProblem(step as unknown as AskStep) : null
    if (misfit !== null) return misfit
  }
  return null
}

const STEP_ID = /^[A-Za-z0-9_-]{1,64}$/
