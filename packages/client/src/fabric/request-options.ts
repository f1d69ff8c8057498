// The options of the calls that are written by hand. The options of all others follow from the schemas of the routes: `calls.generated.ts`.
import type { AgentEventData } from '@bridle/wire/fabric/wire'
import type { NewWorkspace } from './calls.generated.ts'
import type { EventFeedOptions } from './event-feed.ts'

export type FabricJson = AgentEventData['result']['result']
export type FabricJsonObject = AgentEventData['tool_start']['args']

/** A page of the inbox. */
export interface ApprovalFilter<S extends 'pending' | 'decided' | 'all' = 'pending' | 'decided' | 'all'> {
  /** pending (default): those that wait, oldest first. decided: those that were settled, newest first. all: both, in this order. */
  readonly status?: S
  /** The number of approvals on a page. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

/** Settings of one `invoke` call. */
export interface InvokeOptions {
  /** Idempotency key: a repeated request with the same input gets the answer of the first run. */
  readonly idempotencyKey?: string
  /** Answer as soon as the run is accepted. */
  readonly async?: boolean
  /** Ends the request. The run continues. */
  readonly signal?: AbortSignal
  /** The folder of a new session; its mode is `write` by default. A session that exists with another one is a FabricError. */
  readonly workspace?: NewWorkspace
}

/** Settings of a feed of envelopes. */
export interface EnvelopeFeedOptions extends EventFeedOptions {
  /** `default` leaves out the events that help to find a fault. Default: `debug`. */
  readonly tier?: 'default' | 'debug'
  /** Types that are not sent: `token` and `thinking`, for a page that gets the text in another way. */
  readonly omit?: readonly string[]
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

/** A description of routes, as far as a page reads it. */
export interface FabricOpenApi {
  /** Methods by path. */
  readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } }
  /** Everything else of the description. */
  readonly [name: string]: unknown
}
