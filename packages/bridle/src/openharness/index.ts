// The entry for OpenHarness shells: createShell, and the wire's types.
export type { Json, JsonObject } from '../kernel/json.ts'
export type {
  ActionDirective,
  AttachmentReference,
  AuthReferences,
  Capabilities,
  CapabilityDenial,
  Continuation,
  EnvironmentState,
  ErrorObject,
  Extensions,
  IntentContext,
  PrivacyTier,
  RequestMessage,
  RequestPayload,
  ResponseMessage,
  ResponsePayload,
  ShellIdentity,
  TaskHint,
} from '../surfaces/openharness/wire.ts'
export type { ApprovalThreshold, Approver } from './approvals.ts'
export type {
  ApprovalOption,
  RenderMessagePayload,
  RenderUiPayload,
  RequestApprovalPayload,
  SimulateActionPayload,
} from './core-payloads.ts'
export { ShellFault, type ShellFaultCode } from './fault.ts'
export type { DirectiveFeedback, DirectiveOutcome, FeedbackCode, ShellTelemetry } from './feedback.ts'
export type { FileUpload, ShellAttachment, ShellFile, UploadCall } from './files/shell-file.ts'
export type {
  ApprovalHandler,
  DirectiveContext,
  DirectiveHandler,
  QuestionReply,
  ShellHandlers,
  TextAnswer,
} from './handlers.ts'
export { type HttpHeaders, type HttpTransportOptions, httpTransport } from './http-transport.ts'
export type {
  PartialResponse,
  ResumeOptions,
  Shell,
  ShellOptions,
  ShellTurn,
  TurnError,
  TurnOptions,
} from './options.ts'
export type { ShellEnvironment, ShellTaskHint } from './request.ts'
export { createShell } from './shell.ts'
export type { ShellTransport, TransportCall } from './transport.ts'
