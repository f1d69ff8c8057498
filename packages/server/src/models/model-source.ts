// Resolves `provider/model-id` from the server's options, from installed packages, or, for `openai-compatible`, from a URL.
import { type LanguageModel, modelProblem } from '@bridle/agents/model/model'
import { ModelError } from '@bridle/agents/model/model-error'
import { present } from '@bridle/events/json'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { withTimeout } from '@bridle/runners/calls/timeout'
import { messageOf } from '@bridle/system/server-fault'
import { chatModel } from './chat-completions/chat-model.ts'
import { CHAT_PROVIDER } from './chat-completions/chat-request.ts'
import { isProviderName, KNOWN_PROVIDERS, keyVariable, packageOf, urlVariable } from './provider-conventions.ts'

/** The largest packages take a second to import. A run must not hang. */
export const LOAD_MS_MAX = 30_000

/** A model provider: `anthropic` of `@ai-sdk/anthropic`, or a function that returns the model with an id. */
export type ModelProvider =
  | ((modelId: string) => LanguageModel)
  | {
      /** Returns the model with an id. */
      languageModel(modelId: string): LanguageModel
    }

/** Providers by the first part of their models' names. */
export type ModelProviders = { readonly [provider: string]: ModelProvider }

export type ModelEnv = { readonly [name: string]: string | undefined }

export interface ProviderPackages {
  isInstalled(provider: string): boolean
  load(provider: string, settings: { readonly apiKey?: string; readonly baseURL?: string }): Promise<ModelProvider>
}

export interface ModelSource {
  /** Rejects with a ModelError that says what to install or set. */
  resolve(name: string): Promise<LanguageModel>
  missing(name: string): string | null
  /** Null if the provider is not available. */
  providerPlace(provider: string): 'options' | 'package' | null
}

export interface ModelSourceOptions {
  readonly models?: ModelProviders | undefined
  readonly env: ModelEnv
  /** Null if the target cannot import packages. */
  readonly packages: ProviderPackages | null
}

export const createModelSource = ({ models = {}, env, packages }: ModelSourceOptions): ModelSource => {
  const found = new Map<string, Promise<LanguageModel>>()
  const ownProvider = (name: string): ModelProvider | undefined =>
    Object.hasOwn(models, name) ? models[name] : undefined

  const problemOf = (name: string): ModelError | null => {
    const { provider, modelId } = partsOf(name)
    const sentence = (text: string, reason: 'unavailable' | 'auth' = 'unavailable') =>
      new ModelError(reason, text, { retryable: false })
    if (!isProviderName(provider) || modelId === '')
      return sentence(
        `"${name}" is not the name of a model. Write provider/model-id, such as anthropic/claude-sonnet-4-5.`,
      )
    if (ownProvider(provider)) return null
    if (provider === CHAT_PROVIDER) {
      const problem = urlProblem(env.BRIDLE_MODEL_URL)
      return problem === null ? null : sentence(problem)
    }
    const near = nearestName(provider, [...Object.keys(models), ...KNOWN_PROVIDERS, CHAT_PROVIDER])
    const meant = near === null || near === provider ? '' : `Did you mean "${near}/${modelId}"? If not, `
    if (!packages)
      return sentence(
        `The model "${name}" needs its provider. ${meant === '' ? 'Write' : `${meant}write`}: harness({ models: { ${propertyName(provider)} } }), with the provider of ${packageOf(provider)}.`,
      )
    if (!packages.isInstalled(provider))
      return sentence(
        `The model "${name}" needs the package of its provider. ${meant === '' ? 'Run' : `${meant}run`}: npm install ${packageOf(provider)}`,
      )
    const key = keyVariable(provider)
    return key === undefined || env[key] ? null : sentence(`The model "${name}" needs a key. Set ${key}.`, 'auth')
  }

  const load = async (name: string): Promise<LanguageModel> => {
    const { provider, modelId } = partsOf(name)
    const own = ownProvider(provider)
    if (own) return modelOf(own, modelId)
    if (provider === CHAT_PROVIDER)
      return chatModel(modelId, { url: env.BRIDLE_MODEL_URL ?? '', key: env.BRIDLE_MODEL_KEY })
    const apiKey = env[keyVariable(provider) ?? ''] || undefined
    const baseURL = env[urlVariable(provider) ?? ''] || undefined
    const loaded = await packages?.load(provider, present({ apiKey, baseURL }))
    return modelOf(loaded as ModelProvider, modelId)
  }

  const find = async (name: string): Promise<LanguageModel> => {
    const problem = problemOf(name)
    if (problem) throw problem
    const model = await inTime(load(name)).catch((cause: unknown) => {
      const message = `The model "${name}" could not be loaded: ${messageOf(cause)}`
      throw new ModelError('unavailable', message, { retryable: false, cause })
    })
    const unfit = modelProblem(model)
    if (unfit !== null) throw new ModelError('unsupported', `The model "${name}": ${unfit}`)
    return model
  }

  return {
    missing: (name) => problemOf(name)?.message ?? null,
    providerPlace: (provider) => {
      if (ownProvider(provider)) return 'options'
      return packages?.isInstalled(provider) ? 'package' : null
    },
    resolve: (name) => {
      const known = found.get(name)
      if (known) return known
      const model = find(name)
      found.set(name, model)
      // A package may be installed or a key set before the next run.
      model.catch(() => found.delete(name))
      return model
    },
  }
}

const inTime = async (work: Promise<LanguageModel>): Promise<LanguageModel> => {
  const model = await withTimeout(LOAD_MS_MAX, work)
  if (model === 'late') throw new Error(`its package took longer than ${LOAD_MS_MAX} ms.`)
  return model
}

/** Model ids may contain slashes. */
const partsOf = (name: string): { readonly provider: string; readonly modelId: string } => {
  const at = name.indexOf('/')
  return at < 0 ? { provider: name, modelId: '' } : { provider: name.slice(0, at), modelId: name.slice(at + 1) }
}

const modelOf = (provider: ModelProvider, modelId: string): LanguageModel =>
  'languageModel' in provider ? provider.languageModel(modelId) : provider(modelId)

const propertyName = (provider: string): string => (/^\w+$/.test(provider) ? provider : `'${provider}': provider`)

/** Never shows the value, which may contain a password. Null if the URL is usable. */
const urlProblem = (url: string | undefined): string | null => {
  if (!url) return UNSET_URL
  if (!/^https?:\/\//.test(url)) return SCHEMELESS_URL
  return URL.canParse(url) ? null : UNSET_URL
}

const UNSET_URL =
  "Set BRIDLE_MODEL_URL to the address of a server that speaks like OpenAI's, such as http://127.0.0.1:11434/v1 for Ollama."
const SCHEMELESS_URL =
  'BRIDLE_MODEL_URL has no http:// or https:// at its beginning. Write the whole address, such as http://127.0.0.1:11434/v1 for Ollama.'

/** Null if any model is usable; otherwise what all of them lack. Models passed as objects bring their own keys. */
export const modelNeeds = (
  models: readonly (LanguageModel | string)[],
  missing: ModelSource['missing'],
): string | null => {
  const problems = models.flatMap((model) => (typeof model === 'string' ? (missing(model) ?? []) : []))
  if (problems.length < models.length) return null
  return problems.map((problem, at) => (at < problems.length - 1 ? problem.replace(/\.$/, '') : problem)).join('; or: ')
}
