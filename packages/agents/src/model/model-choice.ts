// The model that a turn asks: an object as it is, and a name through the resolver of the target.
import type { LanguageModel } from './model.ts'
import { ModelError } from './model-error.ts'

/** Finds the model with the name `provider/model-id`. Rejects with a ModelError whose message says what to install or to set. */
export type ModelResolver = (name: string) => Promise<LanguageModel>

/** The text is a model's name: `provider/model-id`. */
export const isModelName = (name: string): name is `${string}/${string}` => /^[^/\s]+\/\S+$/.test(name)

/** The names of models for people, in order. A model that stands for a missing setting is left out. */
export const modelNamesOf = (models: readonly (LanguageModel | string)[]): readonly string[] =>
  models.flatMap((model) => {
    if (typeof model === 'string') return [model]
    const { provider, modelId } = model
    return provider === UNSET_PROVIDER ? [] : [`${provider}/${modelId}`]
  })

/** The provider and the id of a model of an agent's list, as the status card and diagnostics name them. */
export const modelParts = (model: LanguageModel | string): { readonly provider: string; readonly model: string } => {
  // Packages name the API behind a dot: `openai.responses`.
  if (typeof model !== 'string') return { provider: model.provider.replace(/\..*/, ''), model: model.modelId }
  const at = model.indexOf('/')
  return at < 0 ? { provider: model, model: '' } : { provider: model.slice(0, at), model: model.slice(at + 1) }
}

/** The provider of a model that nobody has set. */
export const UNSET_PROVIDER = 'none'

/** A changed definition may have fewer models than the one that failed: then its last model is meant. */
export const chooseModel = async (
  models: readonly (LanguageModel | string)[],
  index: number,
  resolve: ModelResolver = noNames,
): Promise<LanguageModel> => {
  const model = models[Math.min(index, models.length - 1)]
  if (typeof model === 'object' || typeof model === 'function') return model
  return resolve(String(model))
}

const noNames: ModelResolver = async (name) => {
  throw new ModelError(
    'unavailable',
    `The model "${name}" is only a name, and nothing here knows names of models. Pass an object of its provider's package, such as anthropic("claude-sonnet-4-5") of "@ai-sdk/anthropic".`,
    { retryable: false },
  )
}
