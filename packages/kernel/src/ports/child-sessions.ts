// Children do tasks for runs of their parents, possibly in another process.

import type { Json, JsonObject } from '@bridle/events/json'
import type { Policy } from '@bridle/events/schemas'
import type { Key } from '../event.ts'

export interface ChildStart {
  readonly parent: Key
  /** Derived from the call, so that a repeated start finds the same child. */
  readonly child: Key
  readonly prompt: string
  readonly input?: Json
  readonly settings: JsonObject
  readonly policy: Policy
  /** Number of sessions above the child that wait for it. */
  readonly depth: number
  /** The child has notified its parent before, so if it is gone, it was removed and is not restarted. */
  readonly isKnown: boolean
}

/** A value, or why there is none: as a sentence and as a code. */
export type ChildResult = { readonly value: Json } | { readonly problem: string; readonly reason: string }

export interface ChildSessions {
  /** Idempotent. Resolves to the reason why the child cannot start, or null. */
  start(child: ChildStart): Promise<string | null>
  result(child: Key): Promise<ChildResult>
}
