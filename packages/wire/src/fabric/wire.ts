import type { AgentEventOf, AgentEventType } from './wire/events.ts'

export type * from './wire/events.ts'
export type * from './wire/messages.ts'
export type * from './wire/runs.ts'

/** Narrows an event: `if (isEvent(event, 'text_delta')) event.data.delta`. */
export const isEvent = <T extends AgentEventType>(
  event: { readonly type: string },
  type: T,
): event is AgentEventOf<T> => event.type === type
