// The check of the options of a model agent: the first mistake, as a sentence that names the field.
import { isJsonObject } from '@bridle/events/json'
import { type Middleware, middlewareProblem } from './middleware/middleware.ts'
import { type ModelSettings, modelProblem } from './model/model.ts'
import { isModelName } from './model/model-choice.ts'
import { DEFAULT_LIMITS } from './model-agent.ts'
import { policyProblem } from './policy.ts'
import { isSchema, missingJsonSchema } from './schemas/standard-schema.ts'
import { TIMER_MS_MAX } from './session/limits.ts'
import { skillsProblem } from './skills/skill.ts'
import { ANSWER_TOOL, isTool } from './tools/tool.ts'
import { isToolSource } from './tools/tool-source.ts'

type Fields = { readonly [name: string]: unknown }

const LIMIT_NAMES = [...Object.keys(DEFAULT_LIMITS), 'windowTokens']

/** The first thing that is wrong with the options of a model agent; null = nothing. */
export const modelAgentProblem = (name: string, options: Fields): string | null => {
  const { model, instructions, tools, skills, policy, use, limits, settings, durable, directives, output } = options
  if (durable !== undefined)
    return `durable of "${name}" is for agents with a run function: a model agent is always durable.`
  if (directives !== undefined)
    return `directives of "${name}" is for agents with a run function: give each tool that is a directive its input.`
  if (instructions !== undefined && typeof instructions !== 'string' && typeof instructions !== 'function')
    return `the instructions of "${name}" are neither a text nor a function.`
  const missing = isSchema(output) ? missingJsonSchema(output) : null
  if (missing !== null) return `the output of "${name}" ${missing}`
  return (
    modelsProblem(name, model) ??
    toolsProblem(name, tools, output !== undefined) ??
    skillsProblem(name, skills) ??
    rulesProblem(name, policy) ??
    middlewaresProblem(name, use) ??
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
  isModelName(model) ? null : `"${model}" is no name of a model. Write provider/model-id.`

const toolsProblem = (name: string, tools: unknown, hasOutput: boolean): string | null => {
  if (tools === undefined) return null
  if (!isList(tools)) return `the tools of "${name}" are not a list.`
  const names = new Set<string>()
  for (const each of tools) {
    if (isToolSource(each)) continue
    if (!isTool(each))
      return `the tools of "${name}" have an entry that is no tool. Write: tools: [tool({ name, description, input, run })].`
    if (names.has(each.name)) return `"${name}" has two tools with the name "${each.name}".`
    if (hasOutput && each.name === ANSWER_TOOL)
      return `"${name}" has an output, which the model gives with a tool "${ANSWER_TOOL}": give your tool another name.`
    names.add(each.name)
  }
  return null
}

const rulesProblem = (name: string, policy: unknown): string | null => {
  const problem = policy === undefined ? null : policyProblem(policy)
  return problem === null ? null : `the policy of "${name}": ${problem}`
}

const middlewaresProblem = (name: string, use: unknown): string | null => {
  if (use === undefined) return null
  if (!isList(use)) return `use of "${name}" is not a list.`
  const names = new Set<unknown>()
  for (const each of use) {
    const problem = middlewareProblem(each)
    if (problem !== null) return `use of "${name}": ${problem}`
    const { name: middleware } = each as Middleware
    if (names.has(middleware)) return `"${name}" uses two middlewares with the name "${middleware}".`
    names.add(middleware)
  }
  return null
}

const limitsProblem = (name: string, limits: unknown): string | null => {
  if (limits === undefined) return null
  if (!isJsonObject(limits)) return `the limits of "${name}" are not an object.`
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
  if (!isJsonObject(settings)) return `the settings of "${name}" are not an object.`
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
    fits: (value) => isJsonObject(value) && Object.values(value).every(isJsonObject),
  },
}

const isWholeNumber = (value: unknown, max: number): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
