// The interface of a language model, as the provider packages of the AI SDK implement it (`@ai-sdk/provider`, versions 3 and 4 of
// the specification). It is stated here and not imported, like Standard Schema: the packages are the user's own. The two versions
// agree in everything that a loop of text, reasoning and tools needs.
import type { JsonObject } from '@bridle/events/json'
import type { AudioTokens } from '@bridle/model-data/prices'

/** A language model: an object of any provider's package, such as `anthropic('claude-sonnet-4-5')` of `@ai-sdk/anthropic`. */
export interface LanguageModel {
  /** The version of the interface. */
  readonly specificationVersion: 'v3' | 'v4'
  /** The name of the provider. */
  readonly provider: string
  /** The name of the model at its provider. */
  readonly modelId: string
  /** Asks the model once, and streams its answer. */
  doStream(options: ModelCallOptions): PromiseLike<ModelStream>
}

/** The answer of a model while it arrives. */
export interface ModelStream {
  /** The parts in their order. The provider decides their types: a part that Bridle does not know is skipped. */
  readonly stream: ReadableStream<{ readonly type: string }>
}

/** The options of one call, named as in the interface of the provider packages. */
export interface ModelCallOptions extends ModelSettings {
  /** The conversation so far. */
  prompt: ModelMessage[]
  /** The tools that the model may call. */
  tools?: ModelTool[]
  /** Whether the model may, must or must not call a tool. */
  toolChoice?: ModelToolChoice
  /** Aborts the call. */
  abortSignal?: AbortSignal
}

/** Settings of a model, the same in every call of a turn. */
export interface ModelSettings {
  /** How freely the model picks its words; providers take 0 to 1 or 2. */
  temperature?: number
  /** The most tokens of one answer. */
  maxOutputTokens?: number
  /** How long the model reasons. Only models of version 4 take it; others have an option of their provider. */
  reasoning?: 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  /** Options of one provider, by its name: `{ anthropic: { thinking: { type: 'enabled', budgetTokens: 4000 } } }`. */
  providerOptions?: ModelOptions
}

/** Options for a provider, or metadata from it: an object of JSON, by the provider's name. */
export type ModelOptions = Record<string, Record<string, ModelJson>>

/** JSON. The packages type it in several ways that do not fit each other, nor `Json`. */
// biome-ignore lint/suspicious/noExplicitAny: a narrower type would refuse the models of some packages.
export type ModelJson = any

/** A tool that the model may call. */
export interface ModelTool {
  /** A tool that Bridle runs, not the provider. */
  type: 'function'
  /** The name by which the model calls the tool. */
  name: string
  /** The text from which the model learns when to call the tool. */
  description?: string
  /** The arguments, as JSON Schema. */
  inputSchema: JsonObject
  /** Options of one provider, such as marks for its cache. */
  providerOptions?: ModelOptions
}

/** Whether the model may call tools, must call one, must not, or must call a certain one. */
export type ModelToolChoice =
  | { type: 'auto' }
  | { type: 'none' }
  | { type: 'required' }
  | { type: 'tool'; toolName: string }

/** A message of the prompt. */
export type ModelMessage = (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (ModelTextPart | ModelFilePart)[] }
  | { role: 'assistant'; content: ModelAssistantPart[] }
  | { role: 'tool'; content: ModelToolResultPart[] }
) & {
  /** Options of one provider, such as marks for its cache. */
  providerOptions?: ModelOptions
}

/** A part of an answer of the model, as the next prompt repeats it. */
export type ModelAssistantPart = ModelTextPart | ModelReasoningPart | ModelToolCallPart | ModelToolResultPart

/** Text. */
export interface ModelTextPart {
  /** The kind of the part. */
  type: 'text'
  /** The text itself. */
  text: string
  /** Metadata that came with the text, as the provider sent it. */
  providerOptions?: ModelOptions
}

/** A file that came with a prompt. */
export interface ModelFilePart {
  /** The kind of the part. */
  type: 'file'
  /** The media type, such as `image/png`. */
  mediaType: string
  /** The bytes: as they are in version 3, and as `{ type: 'data', data }` in version 4. */
  data: ModelJson
  /** The name of the file, where it has one. */
  filename?: string
  /** Options of one provider, such as marks for its cache. */
  providerOptions?: ModelOptions
}

/** Reasoning of the model. Its signature, if it has one, stands in `providerOptions`. */
export interface ModelReasoningPart {
  /** The kind of the part. */
  type: 'reasoning'
  /** The reasoning, or its summary; empty where the provider does not show it. */
  text: string
  /** Metadata that came with the reasoning, as the provider sent it. */
  providerOptions?: ModelOptions
}

/** A tool call of the model. */
export interface ModelToolCallPart {
  /** The kind of the part. */
  type: 'tool-call'
  /** The provider's id of the call. */
  toolCallId: string
  /** The name of the tool. */
  toolName: string
  /** The arguments. */
  input: JsonObject
  /** True where the provider ran the tool itself. */
  providerExecuted?: boolean
  /** Metadata that came with the call, as the provider sent it. */
  providerOptions?: ModelOptions
}

/** The result of a tool call. */
export interface ModelToolResultPart {
  /** The kind of the part. */
  type: 'tool-result'
  /** The provider's id of the call. */
  toolCallId: string
  /** The name of the tool. */
  toolName: string
  /** The result, as the model reads it. */
  output: ModelToolOutput
  /** Options of one provider, such as marks for its cache. */
  providerOptions?: ModelOptions
}

/** A result as the model reads it: text, JSON, an error, or a call that a person denied. */
export type ModelToolOutput =
  | { type: 'text'; value: string }
  | { type: 'json'; value: ModelJson }
  | { type: 'error-text'; value: string }
  | { type: 'error-json'; value: ModelJson }
  | { type: 'execution-denied'; reason?: string }

/** A request to a model, as the loop puts it together. */
export interface ModelRequest {
  /** The conversation, with the instructions first. */
  readonly messages: readonly ModelMessage[]
  /** The tools that the model may call. */
  readonly tools: readonly ModelTool[]
  /** Whether the model has to call a tool, and which; default: it decides. */
  readonly toolChoice?: ModelToolChoice
  /** The settings of the agent. */
  readonly settings: ModelSettings
  /** Aborts when the run is cancelled, or has no more time. */
  readonly signal: AbortSignal
}

/** An entry of `model_step.content`: plain JSON, with the provider's metadata as it came. */
export type StepContent = StepText | StepCall | StepProviderPart

/** A text, or a thought. */
export type StepText = { readonly type: 'text' | 'reasoning'; readonly text: string; readonly metadata?: ModelOptions }

/** A call of a tool. `problem` says why the arguments cannot be used; `input` is then empty, and `raw` begins as the model's text did. */
export type StepCall = {
  readonly type: 'call'
  /** Our id of the call, unique in the session. */
  readonly id: string
  readonly tool: string
  readonly input: JsonObject
  /** The provider's id of the call, unique in the step. */
  readonly provider_id: string
  readonly metadata?: ModelOptions
  readonly problem?: string
  readonly raw?: string
}

/** A part that the provider made and that only goes back to it, such as a search that ran at the provider. Nobody runs it here. */
export type StepProviderPart = { readonly type: 'provider'; readonly part: JsonObject }

/** Why a model ended its answer. */
export type ModelFinish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other'

/** The answer of a model in one step. */
export interface Thought {
  /** The text, the thoughts and the calls, in order. */
  readonly content: readonly StepContent[]
  /** Why the model ended its answer. */
  readonly finish: ModelFinish
  /** The tokens that the provider counted. */
  readonly usage: ModelUsage
  /** Tokens of the request and of the answer together, where the provider counts them. */
  readonly contextTokens?: number
}

/** Tokens that one call of a model used, as far as the provider counts them. */
export interface ModelUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** The part of `inputTokens` that came from the provider's cache. */
  readonly cacheReadTokens?: number
  /** The part of `inputTokens` that was put into the provider's cache. */
  readonly cacheWriteTokens?: number
  /** The part of `outputTokens` that was reasoning. */
  readonly reasoningTokens?: number
  /** The parts of these counts that were audio; absent: none. */
  readonly audio?: AudioTokens
}

const VERSIONS: readonly unknown[] = ['v3', 'v4']

/** The reason why a value is not a model that Bridle can ask, as a sentence that says what to do; null where it is one. */
export const modelProblem = (value: unknown): string | null => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    return 'This is not a model. Pass an object of a provider package, such as anthropic("claude-sonnet-4-5") of "@ai-sdk/anthropic".'
  const { specificationVersion, provider, modelId, doStream } = value as Record<string, unknown>
  const name = typeof provider === 'string' && typeof modelId === 'string' ? `"${provider}/${modelId}"` : 'This model'
  if (!VERSIONS.includes(specificationVersion))
    return typeof specificationVersion === 'string'
      ? `${name} has the interface version "${specificationVersion}"; Bridle takes "v3" and "v4". Install a version of its package that has one of these.`
      : `${name} names no interface version. Pass an object of a provider package, such as anthropic("claude-sonnet-4-5") of "@ai-sdk/anthropic".`
  if (typeof doStream !== 'function' || name === 'This model')
    return `${name} lacks "provider", "modelId" or "doStream", which its interface version "${String(specificationVersion)}" has.`
  return null
}

export const answerText = (content: readonly StepContent[]): string =>
  content.map((entry) => (entry.type === 'text' ? entry.text : '')).join('')

/** The entries of a step as the next prompt repeats them: same order, same metadata. */
export const assistantParts = (content: readonly StepContent[]): ModelAssistantPart[] => content.map(assistantPart)

const assistantPart = (entry: StepContent): ModelAssistantPart => {
  // The part came from the provider, which understands it, and the log gives it back as it was.
  if (entry.type === 'provider') return entry.part as unknown as ModelAssistantPart
  const options = entry.metadata && { providerOptions: entry.metadata }
  if (entry.type !== 'call') return { type: entry.type, text: entry.text, ...options }
  return { type: 'tool-call', toolCallId: entry.provider_id, toolName: entry.tool, input: entry.input, ...options }
}
