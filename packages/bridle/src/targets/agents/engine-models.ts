// The models that sessions of an engine may name. The operator lists them; the credential proxy refuses others in any case.
import type { AgentInfo } from '../../kernel/agent-info.ts'
import { matchesModel } from '../../model-data/prices.ts'

/** The part of an engine's settings that is about models. */
export interface EngineModels {
  readonly models?: readonly string[] | undefined
  readonly model?: string | null | undefined
}

/** The model that the operator has set for the engine; without one the engine chooses, and nobody here knows which. */
export const engineModels = (model: EngineModels['model']): Pick<AgentInfo, 'models'> =>
  model == null ? {} : { models: [model] }

/** `models` are patterns, with `*` for any part of a name; absent = any model. The answer is a sentence, or null. */
export const engineModelProblem =
  (models: readonly string[] | undefined) =>
  (model: string): string | null =>
    !models || models.some((pattern) => matchesModel(pattern, model))
      ? null
      : `The engine may not use the model "${model}". It may use: ${models.join(', ')}.`
