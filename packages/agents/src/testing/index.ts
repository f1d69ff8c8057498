// The entry for tests of an agent: a model without a provider.

export type { Json, JsonObject } from '@bridle/events/json'
export type {
  LanguageModel,
  ModelAssistantPart,
  ModelCallOptions,
  ModelFilePart,
  ModelJson,
  ModelMessage,
  ModelOptions,
  ModelReasoningPart,
  ModelSettings,
  ModelStream,
  ModelTextPart,
  ModelTool,
  ModelToolCallPart,
  ModelToolChoice,
  ModelToolOutput,
  ModelToolResultPart,
} from '../model/model.ts'
export type { ModelScript, ScriptAnswer, ScriptCall, ScriptError, ScriptRequest, ScriptUsage } from './script.ts'
export { type ScriptedModelOptions, scriptedModel } from './scripted-model.ts'
