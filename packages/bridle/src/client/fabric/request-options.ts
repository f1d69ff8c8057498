// The options of calls to the Fabric HTTP wire. The types of its answers are in the `wire.ts` of the surfaces.
import type { AgentEventData } from '../../surfaces/fabric/wire.ts'

export type FabricJson = AgentEventData['result']['result']
export type FabricJsonObject = AgentEventData['tool_start']['args']

/** The folder that a new session works with. */
export interface NewWorkspace {
  /**
   * `write`: on a branch of its own where the source is a repository, else in a copy, or in an empty folder without a source. `in_place`:
   * in the source itself, on a server of one's own. Default: `write`.
   */
  readonly mode?: 'write' | 'in_place'
  /** A folder of the server, as `GET /workspaces` names them. */
  readonly source?: string
}

/** A choice of sessions, their order, and the page. */
export interface SessionFilter {
  /** Only sessions with this status. */
  readonly status?: string
  /** Only sessions of this kind: `chat` or `background`. */
  readonly kind?: string
  /** Only sessions of this agent. */
  readonly agent?: string
  /** Only sessions that were started or branched from this one. */
  readonly parent?: string
  /** Only sessions whose title or id contains this text. */
  readonly search?: string
  /** Sessions that somebody put away: without them (false, the default), only those (true), or both (all). */
  readonly archived?: boolean | 'all'
  /** Only sessions of agents with this engine. */
  readonly engine?: string
  /** Only sessions whose health has this flag. */
  readonly flag?: string
  /** Only sessions that changed after this time, in ISO 8601. */
  readonly changed_since?: string
  /** updated (default): newest change first. created: oldest first; pages show each session once, even if sessions change meanwhile. */
  readonly order?: 'updated' | 'created'
  /** The number of sessions on a page. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

/** Settings of a signal. */
export interface SignalRequestOptions {
  /** The same key and signal take effect once, however often they are sent. */
  readonly idempotencyKey?: string
  /** The sender's name, for the log. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

/** Settings of the decision about a value that an agent proposes for its memory. */
export interface MemoryDecisionOptions {
  /** Another key than the proposed one; with `accept` only, as are the next two. */
  readonly key?: string
  /** Another value than the proposed one. */
  readonly value?: FabricJson
  /** The time after which the value is forgotten. Default: never. */
  readonly ttlMs?: number
  /** The person's own words. */
  readonly reason?: string
  /** The person's name, for the log. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

/** A page of the inbox. */
export interface ApprovalFilter<S extends 'pending' | 'decided' | 'all' = 'pending' | 'decided' | 'all'> {
  /** pending (default): those that wait, oldest first. decided: those that were settled, newest first. all: both, in this order. */
  readonly status?: S
  /** The number of approvals on a page. */
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

/** Settings of the answer to an approval. */
export interface DecisionOptions {
  /** The call gets its answer, and the session pauses before its next step. */
  readonly pause?: boolean
  /** Other arguments than those asked for; with `approve` only. */
  readonly args?: FabricJsonObject
  /** The person's own words. */
  readonly reason?: string
  /** The person's name, for the log. */
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}
