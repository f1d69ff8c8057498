// The client entry, for browsers and for Node.

export type {
  FabricAck,
  FabricClientMessage,
  FabricCommand,
  FabricServerMessage,
} from '../surfaces/fabric/socket-wire.ts'
export {
  type AgentEvent,
  type AgentEventData,
  type AgentEventOf,
  type AgentEventType,
  type FabricEvent,
  isEvent,
} from '../surfaces/fabric/wire.ts'
export type { FeedOptions } from './event-feed.ts'
export type {
  Accepted,
  AgentStanding,
  ApprovalPage,
  Invoked,
  OpenApproval,
  Readiness,
  RunStanding,
  SessionDetail,
  SessionFilter,
  SessionPage,
  SessionRow,
  Verdict,
} from './fabric-answers.ts'
export { FabricError } from './fabric-error.ts'
export { type FabricClient, type FabricClientOptions, fabricClient, type InvokeOptions } from './fabric-http.ts'
export { connectFabricWs } from './fabric-socket.ts'
export type { FabricWsHandle, FabricWsOptions } from './fabric-socket-options.ts'
export { type SseMessage, SseReader } from './sse-reader.ts'
