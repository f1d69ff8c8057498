// The models that sessions of an engine may name. The operator lists them; the credential proxy refuses others in any case.
import { matchesModel } from '../../model-data/prices.ts'

/** `models` are patterns, with `*` for any part of a name; absent = any model. The answer is a sentence, or null. */
export const engineModelProblem =
  (models: readonly string[] | undefined) =>
  (model: string): string | null =>
    !models || models.some((pattern) => matchesModel(pattern, model))
      ? null
      : `The engine may not use the model "${model}". It may use: ${models.join(', ')}.`
