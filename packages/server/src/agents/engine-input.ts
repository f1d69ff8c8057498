import type { JsonObject } from '@bridle/events/json'
import { type AgentInfo, acceptPrompt, promptSchema } from '@bridle/kernel/agent-info'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import type { EngineDescription } from '@bridle/runners/engines/description'
import { effortChoiceProblem, modelChoices } from '@bridle/runners/engines/models'
import type { EngineSetup } from './engine-setup.ts'

type InputParts = 'inputSchema' | 'accept' | 'modelProblem' | 'effortProblem' | 'models' | 'modelChoices' | 'efforts'

/** The input that the agent of an engine takes, and the choices of its callers. */
export const engineInput = (
  { efforts }: Pick<EngineDescription, 'efforts'>,
  { settings: { model }, rules, modelProblem }: Pick<EngineSetup, 'settings' | 'rules' | 'modelProblem'>,
): Pick<AgentInfo, InputParts> => {
  const effortProblem = effortChoiceProblem(efforts)
  const choices = modelChoices(rules).map(({ id, title }) => ({ id, title }))
  return {
    // Otherwise the engine chooses, and the server cannot know which.
    ...(model != null && { models: [model] }),
    ...(choices.length > 0 && { modelChoices: choices }),
    ...(efforts && { efforts }),
    modelProblem,
    effortProblem,
    inputSchema: () => promptSchema({ ...settingSchemas, ...(efforts && { effort: { enum: [...efforts] } }) }),
    accept: async (body) => {
      const { model: asked, effort } = body
      const problem =
        engineInputProblem(body) ??
        (typeof asked === 'string' ? modelProblem(asked) : null) ??
        (typeof effort === 'string' ? effortProblem(effort) : null)
      return problem === null ? acceptPrompt(body) : { problem }
    },
  }
}

const settingSchemas: JsonObject = {
  model: { type: 'string' },
  effort: { type: 'string' },
  max_budget_usd: { type: 'number', minimum: 0 },
  max_turns: { type: 'integer', minimum: 1 },
}

export const engineInputProblem = (body: JsonObject): string | null => {
  const { model, effort, max_budget_usd: budget, max_turns: turns } = body
  const isAbsent = (value: unknown) => value === undefined || value === null
  if (!isAbsent(model) && typeof model !== 'string') return '"model" must be a text.'
  if (!isAbsent(effort) && typeof effort !== 'string') return '"effort" must be a text.'
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
