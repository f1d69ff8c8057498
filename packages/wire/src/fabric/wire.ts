// The Fabric wire: its events, and the messages of its WebSocket as JSON text, one message per frame. A client written from the
// wire's own document meets these and nothing else.
import type { AgentEventOf, AgentEventType } from './wire/events.ts'

export type * from './wire/events.ts'
export type * from './wire/messages.ts'
export type * from './wire/runs.ts'

/** Narrows: `if (isEvent(event, 'text_delta')) event.data.delta`. */
export const isEvent = <T extends AgentEventType>(
  event: { readonly type: string },
  type: T,
): event is AgentEventOf<T> => event.type === type
