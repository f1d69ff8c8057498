// Sessions that do tasks for the runs of other sessions. They may live in another process than their parent.

import type { Json, JsonObject } from '@bridle/events/json'
import type { Policy } from '@bridle/events/schemas'
import type { Key } from '../event.ts'

/** A child session, as its parent starts it. */
export interface ChildStart {
  readonly parent: Key
  /** The id follows from the call, so that a repeated start finds the same child. */
  readonly child: Key
  readonly prompt: string
  readonly input?: Json
  readonly settings: JsonObject
  readonly policy: Policy
  /** How many sessions above the child wait for it. */
  readonly depth: number
  /** The child has told its parent of itself. If it is gone, nobody starts it again. */
  readonly isKnown: boolean
}

/** The result of a child, or the reason why it has none, as a sentence and as a code. */
export type ChildResult = { readonly value: Json } | { readonly problem: string; readonly reason: string }

export interface ChildSessions {
  /** Starts a child, unless it is there already. Resolves to the reason why that cannot be; null: the child is there. */
  start(child: ChildStart): Promise<string | null>
  result(child: Key): Promise<ChildResult>
}
