// Callers choose from the models that an engine's version knows, filtered by the operator's patterns.
import { matchesModel } from '@bridle/model-data/prices'

export interface EngineModel {
  /** The name that the engine takes. */
  readonly id: string
  /** The name for people. */
  readonly title: string
  /** The names that the provider gets for an alias, `*` for any part. Absent: the id is such a name. */
  readonly family?: string
}

export interface ModelRules {
  /** The engine's own list. */
  readonly known?: readonly EngineModel[] | undefined
  /** The operator's patterns; absent = every model is allowed. */
  readonly models?: readonly string[] | undefined
  /** The operator's own model, which needs no place in the patterns. */
  readonly model?: string | null | undefined
}

/** The operator's own model comes first. A pattern without `*` names a model that the engine's list may not have. */
export const modelChoices = ({ known = [], models, model }: ModelRules): readonly EngineModel[] => {
  const named = [model ?? undefined, ...(models ?? [])].filter((name) => name !== undefined && !name.includes('*'))
  const allowed = known.filter((each) => isAllowed(each, models))
  const all = [
    ...named.map((id) => known.find((each) => each.id === id) ?? { id, title: id }),
    ...allowed,
  ] as EngineModel[]
  return all.filter(({ id }, index) => all.findIndex((each) => each.id === id) === index)
}

/** The model of a run without a choice, or null if the engine chooses: it could choose any, so all of them must be allowed. */
export const defaultModel = (rules: ModelRules): string | null => {
  const { known = [], models, model } = rules
  if (model) return model
  const isOpen = known.every((each) => isAllowed(each, models))
  return isOpen ? null : (modelChoices(rules)[0]?.id ?? null)
}

/** Why callers cannot choose the model, as a sentence, or null. */
export const modelChoiceProblem =
  ({ known = [], models }: ModelRules) =>
  (model: string): string | null =>
    isAllowed(known.find(({ id }) => id === model) ?? { id: model, title: model }, models)
      ? null
      : `The engine may not use the model "${model}". It may use: ${models?.join(', ')}.`

/** Why callers cannot choose the effort, as a sentence, or null. */
export const effortChoiceProblem =
  (efforts: readonly string[] | undefined) =>
  (effort: string): string | null =>
    efforts === undefined || efforts.includes(effort)
      ? null
      : `The engine has no effort "${effort}". It has: ${efforts.join(', ')}.`

/** Patterns of the model names that requests to the provider may contain, or null for any. Aliases become their family. */
export const providerModels = ({ known = [], models, model }: ModelRules): readonly string[] | null => {
  if (!models) return null
  const named = model && !models.includes(model) ? [...models, model] : models
  return named.map((pattern) => known.find(({ id }) => id === pattern)?.family ?? pattern)
}

const isAllowed = ({ id, family = id }: EngineModel, models: readonly string[] | undefined): boolean =>
  !models || models.some((pattern) => matchesModel(pattern, id) || matchesModel(pattern, family))
