// A pure fold. Unhandled events return the same state object, so changes are detected with `!==`.
import type { EventType } from '@bridle/events/catalogue'
import type { AnyEvent, Event } from '../event.ts'

export interface Projection<S> {
  readonly initial: S
  readonly on: { readonly [T in EventType]?: (state: S, event: Event<T>) => S }
}

export const fold = <S>(projection: Projection<S>, state: S, event: AnyEvent): S => {
  // Own keys only: an event type "constructor" in a foreign log is unknown, not a function.
  if (!Object.hasOwn(projection.on, event.type)) return state
  const step = projection.on[event.type] as ((state: S, event: AnyEvent) => S) | undefined
  return step ? step(state, event) : state
}
