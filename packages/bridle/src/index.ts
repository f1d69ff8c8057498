export {
  type AgentDefinition,
  type AgentOptions,
  type AgentTriggers,
  agent,
  type FunctionAgentOptions,
  type PromptInput,
  type RunContext,
} from '@bridle/agents/agent'
export type {
  EngineAgent,
  EngineAgentOptions,
  EngineBudget,
  EngineInstructions,
} from '@bridle/agents/engine-agent'
export { type CriticOptions, critic } from '@bridle/agents/middleware/critic'
export { type GuardrailCheck, type GuardrailOptions, guardrails } from '@bridle/agents/middleware/guardrails'
export type {
  AnswerReview,
  AnswerTurn,
  CallChange,
  ChildAgent,
  Middleware,
  MiddlewareCall,
  MiddlewareTurn,
  ModelQuestion,
  Note,
  Summary,
  SummaryRequest,
} from '@bridle/agents/middleware/middleware'
export { plan } from '@bridle/agents/middleware/plan'
export { type RetrievalDocument, type RetrievalOptions, retrieval } from '@bridle/agents/middleware/retrieval'
export type { LanguageModel, ModelMessage, ModelRequest, ModelSettings, Thought } from '@bridle/agents/model/model'
export type {
  AgentLimits,
  AgentTurn,
  Instructions,
  ModelAgentFields,
  ModelAgentOptions,
  ModelChoice,
} from '@bridle/agents/model-agent'
export type { PolicyRule } from '@bridle/agents/policy'
export type { StandardSchema } from '@bridle/agents/schemas/standard-schema'
export type {
  AgentSession,
  ApprovalOutcome,
  ApprovalQuestion,
  SessionMemory,
  StepContext,
  ToolContext,
  ToolOptions,
  UsageReport,
  WaitOptions,
} from '@bridle/agents/session'
export type { Attachment } from '@bridle/agents/session/attachments'
export type { DirectiveSchemas } from '@bridle/agents/session/directive-schemas'
export { RunEndedError, ToolDenied, ToolTimeout } from '@bridle/agents/session/errors'
export type {
  AnswersTo,
  FormSchema,
  QuestionInput,
  QuestionOutcome,
  QuestionSettings,
} from '@bridle/agents/session/questions'
export type { Skill, SkillChoice } from '@bridle/agents/skills/skill'
export {
  type SopApproveStep,
  type SopAskStep,
  type SopBranchStep,
  type SopCallStep,
  type SopDirectiveStep,
  type SopOptions,
  type SopSayStep,
  type SopStep,
  type SopValue,
  type SopValues,
  type SopWaitStep,
  sop,
} from '@bridle/agents/sop'
export { OutcomeUnknown, StepError, type StepErrorCode } from '@bridle/agents/steps/errors'
export { type NamedSubagent, type SubagentOptions, subagent } from '@bridle/agents/subagents/subagent'
export { type AskQuestionOptions, askQuestion } from '@bridle/agents/tools/ask-question'
export {
  type DirectiveFields,
  type DirectiveToolDeclaration,
  type Tool,
  type ToolApprovalRule,
  type ToolApprovalTerms,
  type ToolCallContext,
  type ToolDeclaration,
  type ToolEventType,
  type ToolSession,
  tool,
} from '@bridle/agents/tools/tool'
export type { OpenTools, ToolSource, ToolSourceContext } from '@bridle/agents/tools/tool-source'
export { connectFabricWs } from '@bridle/client/fabric/socket'
export { HarnessClient } from '@bridle/client/harness/client'
export { connectFabricVoice } from '@bridle/client/voice/fabric-voice'
export type * from '@bridle/client/voice/options'
export type { QuestionAnswer, QuestionAnswers } from '@bridle/events/answers'
export { type EventType, inTier, STREAM_EVENT_TYPES, type Tier } from '@bridle/events/catalogue'
export type { Json, JsonObject } from '@bridle/events/json'
export type { Question, QuestionOption } from '@bridle/events/questions'
export type { Payloads, SessionStatus, ToolEffect } from '@bridle/events/schemas'
export { applyOperations, type DeltaOperation } from '@bridle/kernel/delta'
export type { Directive } from '@bridle/kernel/directive'
export type { AnyEvent, Event, Key } from '@bridle/kernel/event'
export type {
  HarnessApproval,
  HarnessMessage,
  HarnessPart,
  HarnessState,
  HarnessToolCall,
} from '@bridle/kernel/projections/harness-state'
export { partText } from '@bridle/kernel/projections/message-parts'
export {
  type AgentEvent,
  type AgentEventData,
  type AgentEventType,
  type FabricEvent,
  isEvent,
} from '@bridle/wire/fabric/wire'
export type { ClientMessage, HarnessCommand, ServerMessage } from '@bridle/wire/transport/wire'
