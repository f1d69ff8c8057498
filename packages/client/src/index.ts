export { answerProblem, type GivenAnswer, type QuestionAnswer, type QuestionAnswers } from '@bridle/events/answers'
export { type FieldOption, type FieldType, type FormField, formFields } from '@bridle/events/forms'
export type { Question, QuestionOption, QuestionRequest } from '@bridle/events/questions'
export { applyOperations, DeltaError, type DeltaOperation } from '@bridle/kernel/delta'
export type {
  ApprovalChange,
  ApprovalClosure,
  ReadyChange,
  RemovalChange,
  SessionChange,
  TenantChange,
} from '@bridle/wire/changes/wire'
export {
  type AcceptedRun,
  type AgentEvent,
  type AgentEventData,
  type AgentEventOf,
  type AgentEventType,
  type FabricAck,
  type FabricClientMessage,
  type FabricCommand,
  type FabricEvent,
  type FabricServerMessage,
  type InvokeResult,
  isEvent,
  type RunStatus,
} from '@bridle/wire/fabric/wire'
export type {
  BackgroundReceipt,
  BranchReceipt,
  ChatSession,
  EnvelopePosition,
  HealthEnvelope,
  PauseReceipt,
  ReplayReceipt,
  StreamEnvelope,
  StreamEnvelopeOf,
  StreamEventRow,
} from '@bridle/wire/frontend/wire'
export type {
  AcceptedValue,
  AgentDescription,
  AgentList,
  AgentStatus,
  ApprovalEffect,
  ApprovalPage,
  ApprovalReceipt,
  ApprovalRiskLevel,
  ApprovalsByStatus,
  ArtifactAudio,
  ArtifactPage,
  CallerIdentity,
  ChannelEnvelope,
  ChannelPage,
  CheckpointSummary,
  ImportedPrompt,
  ImportReceipt,
  Liveness,
  LogEntry,
  LogSession,
  MemoryPage,
  MemoryReceipt,
  PendingApproval,
  ProposalSummary,
  Readiness,
  ResumePoint,
  SessionCitation,
  SessionDetail,
  SessionLogPage,
  SessionNotice,
  SessionPage,
  SessionReports,
  SessionRow,
  SessionStep,
  SessionTree,
  SessionUsage,
  SettledApproval,
  SettledApprovalDetails,
  SignalReceipt,
  StepSummary,
  TreeSession,
  UploadGrant,
  UsageSummary,
  WorkspaceChange,
  WorkspaceEntry,
  WorkspaceEntryKind,
  WorkspaceFile,
  WorkspaceFolder,
  WorkspaceOffer,
  WorkspaceReport,
} from '@bridle/wire/http/wire'
export type { ClientMessage, HarnessCommand, ServerMessage } from '@bridle/wire/transport/wire'
export type {
  VoiceError,
  VoiceResponseEnd,
  VoiceServerMessage,
  VoiceSessionOpen,
  VoiceToolCall,
  VoiceTranscript,
  VoiceUsage,
} from '@bridle/wire/voice/wire'
export { exactJson, exactText, visibleText } from './exact-text.ts'
export type { AskedRun, AskOptions } from './fabric/ask.ts'
export type {
  AnswerOptions,
  BranchRequest,
  DecisionOptions,
  MemoryDecisionOptions,
  NewSession,
  NewWorkspace,
  PolicyRequest,
  ReasonOptions,
  ReplayRequest,
  SessionFilter,
  SignalRequestOptions,
} from './fabric/calls.generated.ts'
export type { EventFeedOptions } from './fabric/event-feed.ts'
export * from './fabric/http.ts'
export type { ApprovalFilter, EnvelopeFeedOptions, InvokeOptions } from './fabric/request-options.ts'
export type { FabricClientOptions } from './fabric/requests.ts'
export { connectFabricWs } from './fabric/socket.ts'
export type { FabricWsHandle, FabricWsOptions } from './fabric/socket-options.ts'
export { type SseMessage, SseReader } from './fabric/sse-reader.ts'
export { HANDLED_EVENT_TYPES, reduceFrontend } from './frontend/reducer.ts'
export * from './frontend/state.ts'
export { HarnessClient } from './harness/client.ts'
export { HarnessError } from './harness/error.ts'
export type {
  HarnessAnswer,
  HarnessClientOptions,
  HarnessConnection,
  HarnessEvents,
  HeldPrompt,
  PromptStorage,
  SubmitOptions,
} from './harness/options.ts'
export {
  type AnswerInput,
  answerFields,
  type FormEntries,
  isOpenQuestion,
  type OpenQuestion,
  openQuestions,
  readAnswer,
} from './harness/questions.ts'
export * from './harness/state.ts'
export { FabricError } from './http/error.ts'
export type { UploadContent, UploadOptions } from './http/upload.ts'
export type { ChangesHandle, ChangesOptions, ChangesPhase, ChangesPhaseDetail } from './operator/changes.ts'
export { connectChanges } from './operator/changes.ts'
export type { NewThread, Thread, ThreadsOptions, ThreadsState } from './threads/options.ts'
export { type Threads, threads } from './threads/threads.ts'
export { connectFabricVoice } from './voice/fabric-voice.ts'
export type * from './voice/options.ts'
