// The main entry: types and events, for any platform.
export { type EventType, inTier, STREAM_EVENT_TYPES, type Tier } from './kernel/catalogue.ts'
export { applyOperations, type DeltaOperation } from './kernel/delta.ts'
export type { AnyEvent, Event, Key } from './kernel/event.ts'
export type {
  HarnessApproval,
  HarnessMessage,
  HarnessPart,
  HarnessState,
  HarnessToolCall,
} from './kernel/projections/conversation.ts'
export { partText } from './kernel/projections/message-parts.ts'
export type { Payloads, SessionStatus } from './kernel/schemas.ts'
export {
  type AgentEvent,
  type AgentEventData,
  type AgentEventType,
  type FabricEvent,
  isEvent,
} from './surfaces/fabric/wire.ts'
