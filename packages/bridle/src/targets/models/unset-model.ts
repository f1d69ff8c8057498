// The sentence about a server without BRIDLE_MODEL: the steps that are left on the ways that were begun, else all ways.
import type { ModelEnv, ModelSource } from './model-source.ts'
import { keyVariable, packageOf } from './provider-conventions.ts'

export const unsetModelSentence = (
  env: ModelEnv,
  source: Pick<ModelSource, 'providerPlace'>,
  target: keyof typeof ALL_WAYS,
): string => {
  const begun = [
    ...(env.BRIDLE_MODEL_URL ? [LOCAL_MODEL] : []),
    ...PROVIDER_MODELS.flatMap(([provider, modelId]) => remainingSteps(provider, modelId, env, source) ?? []),
  ]
  return begun.length === 0 ? ALL_WAYS[target] : `Set ${begun.join('; or set ')}`
}

/** Null: nothing of this provider is there. */
const remainingSteps = (
  provider: string,
  modelId: string,
  env: ModelEnv,
  { providerPlace }: Pick<ModelSource, 'providerPlace'>,
): string | null => {
  const place = providerPlace(provider)
  const key = keyVariable(provider) ?? ''
  if (place === null && !env[key]) return null
  const model = `BRIDLE_MODEL=${provider}/${modelId}`
  if (place === null) return `${model} and run: npm install ${packageOf(provider)}`
  return place === 'package' && !env[key] ? `${model} and ${key}` : model
}

const LOCAL_MODEL = 'BRIDLE_MODEL=openai-compatible/llama3.2, or the name of another model that BRIDLE_MODEL_URL has'

/** A model as an example, for each provider whose first steps are recognized. */
const PROVIDER_MODELS = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5'],
] as const

const ALL_WAYS = {
  node: 'Set BRIDLE_MODEL=openai-compatible/llama3.2 and BRIDLE_MODEL_URL=http://127.0.0.1:11434/v1 for a local model. For Claude, set BRIDLE_MODEL=anthropic/claude-sonnet-4-5 and ANTHROPIC_API_KEY, and run: npm install @ai-sdk/anthropic',
  cloudflare:
    'Set BRIDLE_MODEL=anthropic/claude-sonnet-4-5 and write harness({ models: { anthropic } }); or set BRIDLE_MODEL=openai-compatible/… and BRIDLE_MODEL_URL.',
} as const
