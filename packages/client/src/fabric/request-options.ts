// Options of the handwritten calls. `calls.generated.ts` has the others.
import type { AgentEventData } from '@bridle/wire/fabric/wire'
import type { NewWorkspace } from './calls.generated.ts'
import type { EventFeedOptions } from './event-feed.ts'

export type FabricJson = AgentEventData['result']['result']
export type FabricJsonObject = AgentEventData['tool_start']['args']

/** Filters for approvals. */
export interface ApprovalFilter<S extends 'pending' | 'decided' | 'all' = 'pending' | 'decided' | 'all'> {
  /** pending (default): oldest first. decided: newest first. all: pending, then decided. */
  readonly status?: S
  /** Page size. */
  readonly limit?: number
  /** The `next` of the previous page. */
  readonly cursor?: string
}

/** Options of `invoke`. */
export interface InvokeOptions {
  /** Idempotency key: a repeated request with the same input gets the first run's answer. */
  readonly idempotencyKey?: string
  /** Return as soon as the run is accepted. */
  readonly async?: boolean
  /** Aborts the request. The run continues. */
  readonly signal?: AbortSignal
  /** The workspace of a new session, in `write` mode by default. Throws a FabricError if the session exists with another one. */
  readonly workspace?: NewWorkspace
}

/** Options of an envelope feed. */
export interface EnvelopeFeedOptions extends EventFeedOptions {
  /** `default` omits diagnostic events. Default: `debug`. */
  readonly tier?: 'default' | 'debug'
  /** Omits `token` or `thinking`, for pages that get the text elsewhere. */
  readonly omit?: readonly string[]
  /** The agent, if several have a session with this id. */
  readonly agent?: string
}

/** An OpenAPI document, as far as pages read it. */
export interface FabricOpenApi {
  /** Methods by path. */
  readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } }
  /** The rest of the document. */
  readonly [name: string]: unknown
}
