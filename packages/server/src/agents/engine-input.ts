import type { JsonObject } from '@bridle/events/json'
import { type AgentInfo, acceptPrompt, promptSchema } from '@bridle/kernel/agent-info'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { matchesModel } from '@bridle/model-data/prices'

export const engineInput = (
  modelProblem: (model: string) => string | null,
): Required<Pick<AgentInfo, 'inputSchema' | 'accept' | 'modelProblem'>> => ({
  modelProblem,
  inputSchema: () => promptSchema(settingSchemas),
  accept: async (body) => {
    const { model } = body
    const problem = engineInputProblem(body) ?? (typeof model === 'string' ? modelProblem(model) : null)
    return problem === null ? acceptPrompt(body) : { problem }
  },
})

const settingSchemas: JsonObject = {
  model: { type: 'string' },
  max_budget_usd: { type: 'number', minimum: 0 },
  max_turns: { type: 'integer', minimum: 1 },
}

export const engineInputProblem = (body: JsonObject): string | null => {
  const { model, max_budget_usd: budget, max_turns: turns } = body
  const isAbsent = (value: unknown) => value === undefined || value === null
  if (!isAbsent(model) && typeof model !== 'string') return '"model" must be a text.'
  if (!isAbsent(budget) && !(typeof budget === 'number' && budget >= 0)) return '"max_budget_usd" must be a number.'
  if (!isAbsent(turns) && !(Number.isSafeInteger(turns) && Number(turns) > 0)) return '"max_turns" must be a count.'
  // Unknown fields are ignored, but a near miss is a typo that could drop a budget.
  const known = Object.keys(settingSchemas)
  for (const name of Object.keys(body)) {
    const near = known.includes(name) ? null : nearestName(name, known)
    if (near !== null) return `"${name}" is not known here. Did you mean "${near}"?`
  }
  return null
}

export interface EngineModels {
  readonly models?: readonly string[] | undefined
  readonly model?: string | null | undefined
}

/** Empty if the operator set no model: the engine chooses one, and the server cannot know which. */
export const engineModels = (model: EngineModels['model']): Pick<AgentInfo, 'models'> =>
  model == null ? {} : { models: [model] }

/** `models` are patterns in which `*` matches any part of a name. Absent: any model is allowed. */
export const engineModelProblem =
  (models: readonly string[] | undefined) =>
  (model: string): string | null =>
    !models || models.some((pattern) => matchesModel(pattern, model))
      ? null
      : `The engine may not use the model "${model}". It may use: ${models.join(', ')}.`
