// The built-in agent `assistant`: a conversation with BRIDLE_MODEL, without tools.
import { type AgentDefinition, agent } from '@bridle/agents/agent'
import type { LanguageModel } from '@bridle/agents/model/model'
import { isModelName, UNSET_PROVIDER } from '@bridle/agents/model/model-choice'
import { ModelError } from '@bridle/agents/model/model-error'
import type { ModelChoice } from '@bridle/agents/model-agent'
import { type ModelEnv, type ModelSource, modelNeeds } from './model-source.ts'
import { keyVariable, packageOf } from './provider-conventions.ts'

export const ASSISTANT = 'assistant'

export interface AssistantAgent {
  readonly definition: AgentDefinition
  /** From BRIDLE_MODEL. Each model is the fallback of the one before it. */
  readonly models: readonly [ModelChoice, ...ModelChoice[]]
  /** Null if the agent can run; otherwise what to install or set. */
  readonly needs: () => string | null
  /** A sentence per model that is not usable. */
  readonly problems: () => readonly string[]
}

export const createAssistant = (
  env: ModelEnv,
  source: Pick<ModelSource, 'missing' | 'providerPlace'>,
  target: 'node' | 'cloudflare',
): AssistantAgent => {
  const unset = () => unsetModelSentence(env, source, target)
  const names = modelNames(env.BRIDLE_MODEL)
  const choices = names.map((name) => (isModelName(name) ? name : unsetModel(() => source.missing(name) ?? unset())))
  const [first = unsetModel(unset), ...others] = choices
  const models = [first, ...others] as const
  const problems = () => names.flatMap((name) => source.missing(name) ?? [])
  return {
    definition: agent({
      name: ASSISTANT,
      description: 'Answers questions with the model that BRIDLE_MODEL names.',
      model: models,
      instructions: INSTRUCTIONS,
    }),
    models,
    problems,
    needs: () => (names.length === 0 ? unset() : modelNeeds(names, source.missing)),
  }
}

const INSTRUCTIONS = `You are a helpful assistant.
Answer in the language of the user. Come to the point: say the answer first, then what is needed to understand it.
Say so when you do not know something or are not sure. Ask when a question can be meant in more than one way and the difference matters.
You have no tools: you cannot look anything up, run programs or change anything. Never claim that you did.
Write plain Markdown.`

const modelNames = (setting: string | undefined): readonly string[] =>
  (setting ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const unsetModel = (problem: () => string): LanguageModel => ({
  specificationVersion: 'v3',
  provider: UNSET_PROVIDER,
  modelId: 'unset',
  doStream: async () => {
    throw new ModelError('unavailable', problem(), { retryable: false })
  },
})

/** Remaining steps of the setups that were started, or all setups if none was. */
const unsetModelSentence = (
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

/** An example model per provider whose partial setup is recognized. */
const PROVIDER_MODELS = [
  ['anthropic', 'claude-sonnet-4-5'],
  ['openai', 'gpt-5'],
] as const

const ALL_WAYS = {
  node: 'Set BRIDLE_MODEL=openai-compatible/llama3.2 and BRIDLE_MODEL_URL=http://127.0.0.1:11434/v1 for a local model. For Claude, set BRIDLE_MODEL=anthropic/claude-sonnet-4-5 and ANTHROPIC_API_KEY, and run: npm install @ai-sdk/anthropic',
  cloudflare:
    'Set BRIDLE_MODEL=anthropic/claude-sonnet-4-5 and write harness({ models: { anthropic } }); or set BRIDLE_MODEL=openai-compatible/… and BRIDLE_MODEL_URL.',
} as const
