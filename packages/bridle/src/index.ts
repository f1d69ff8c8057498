// The main entry: agents, clients, types and events, for any platform.
export {
  type AgentDefinition,
  type AgentOptions,
  type AgentTriggers,
  agent,
  type FunctionAgentOptions,
  type PromptInput,
  type RunContext,
} from './agents/agent.ts'
export type { Attachment } from './agents/attachments.ts'
export { RunEndedError, ToolDenied, ToolTimeout } from './agents/errors.ts'
export type { DirectiveSchemas } from './agents/functions/directive-schemas.ts'
export { type CriticOptions, critic } from './agents/middleware/critic.ts'
export { type GuardrailCheck, type GuardrailOptions, guardrails } from './agents/middleware/guardrails.ts'
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
} from './agents/middleware/middleware.ts'
export { plan } from './agents/middleware/plan.ts'
export { type RetrievalDocument, type RetrievalOptions, retrieval } from './agents/middleware/retrieval.ts'
export type { LanguageModel, ModelMessage, ModelRequest, ModelSettings, Thought } from './agents/model/model.ts'
export type {
  AgentLimits,
  AgentTurn,
  Instructions,
  ModelAgentFields,
  ModelAgentOptions,
  ModelChoice,
} from './agents/model-agent.ts'
export type { PolicyRule } from './agents/policy.ts'
export type { StandardSchema } from './agents/schemas/standard-schema.ts'
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
} from './agents/session.ts'
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
} from './agents/sop.ts'
export { OutcomeUnknown, StepError, type StepErrorCode } from './agents/steps/errors.ts'
export { type NamedSubagent, type SubagentOptions, subagent } from './agents/subagents/subagent.ts'
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
} from './agents/tools/tool.ts'
export type { OpenTools, ToolSource, ToolSourceContext } from './agents/tools/tool-source.ts'
export { connectFabricWs } from './client/fabric/socket.ts'
export { HarnessClient } from './client/harness/client.ts'
export { connectFabricVoice } from './client/voice/fabric-voice.ts'
export type {
  FabricVoiceAudio,
  FabricVoiceEnd,
  FabricVoiceEvent,
  FabricVoiceHandle,
  FabricVoiceOpen,
  FabricVoiceOptions,
  FabricVoiceRetry,
  FabricVoiceToolResult,
} from './client/voice/options.ts'
export { type EventType, inTier, STREAM_EVENT_TYPES, type Tier } from './kernel/catalogue.ts'
export { applyOperations, type DeltaOperation } from './kernel/delta.ts'
export type { Directive } from './kernel/directive.ts'
export type { AnyEvent, Event, Key } from './kernel/event.ts'
export type { Json, JsonObject } from './kernel/json.ts'
export type {
  HarnessApproval,
  HarnessMessage,
  HarnessPart,
  HarnessState,
  HarnessToolCall,
} from './kernel/projections/harness-state.ts'
export { partText } from './kernel/projections/message-parts.ts'
export type { Payloads, SessionStatus, ToolEffect } from './kernel/schemas.ts'
export {
  type AgentEvent,
  type AgentEventData,
  type AgentEventType,
  type FabricEvent,
  isEvent,
} from './surfaces/fabric/wire.ts'
export type { ClientMessage, HarnessCommand, ServerMessage } from './surfaces/transport/wire.ts'
