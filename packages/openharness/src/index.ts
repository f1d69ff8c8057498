export type { Json, JsonObject } from '@bridle/events/json'
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
} from '@bridle/wire/openharness/wire'
export type { ApprovalThreshold, Approver } from './approvals.ts'
export type * from './core-payloads.ts'
export type { DirectiveFeedback, DirectiveOutcome, FeedbackCode, ShellTelemetry } from './feedback.ts'
export type { FileUpload, ShellAttachment, ShellFile, UploadCall } from './files/shell-file.ts'
export type * from './handlers.ts'
export { type HttpHeaders, type HttpTransportOptions, httpTransport } from './http-transport.ts'
export { ShellFault, type ShellFaultCode } from './messages/fault.ts'
export type { ShellEnvironment, ShellTaskHint } from './messages/request.ts'
export type * from './options.ts'
export { createShell } from './shell.ts'
export type { ShellTransport, TransportCall } from './transport.ts'
