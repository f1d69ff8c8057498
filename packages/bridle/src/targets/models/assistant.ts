// The agent `assistant`, which every server has: a conversation with the model that BRIDLE_MODEL names. It has no tools.
import { type AgentDefinition, agent } from '../../agents/agent.ts'
import type { LanguageModel } from '../../agents/model/model.ts'
import { isModelName, UNSET_PROVIDER } from '../../agents/model/model-choice.ts'
import { ModelError } from '../../agents/model/model-error.ts'
import type { ModelChoice } from '../../agents/model-agent.ts'
import { modelNeeds } from './model-needs.ts'
import type { ModelEnv, ModelSource } from './model-source.ts'
import { unsetModelSentence } from './unset-model.ts'

export const ASSISTANT = 'assistant'

export interface AssistantAgent {
  readonly definition: AgentDefinition
  /** The models that BRIDLE_MODEL names; each one after the first is asked where the one before it fails. */
  readonly models: readonly [ModelChoice, ...ModelChoice[]]
  /** The missing part, as a sentence that says what to do; null: the agent can run. */
  readonly needs: () => string | null
  /** A sentence for each model of the list that cannot be asked. */
  readonly problems: () => readonly string[]
}

export const createAssistant = (
  env: ModelEnv,
  source: Pick<ModelSource, 'missing' | 'providerPlace'>,
  target: 'node' | 'cloudflare',
): AssistantAgent => {
  // Asked each time: a package may be installed later.
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

/** The names in BRIDLE_MODEL: one, or several with commas. Each one after the first is asked where the one before it fails. */
const modelNames = (setting: string | undefined): readonly string[] =>
  (setting ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

/** Some wires do not look at `needs` and start a run, which then fails with the same sentence. */
const unsetModel = (problem: () => string): LanguageModel => ({
  specificationVersion: 'v3',
  provider: UNSET_PROVIDER,
  modelId: 'unset',
  doStream: async () => {
    throw new ModelError('unavailable', problem(), { retryable: false })
  },
})
