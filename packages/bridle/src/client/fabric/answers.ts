// What the Fabric HTTP wire answers, as far as callers rely on it. Answers may hold more than this.
import type { AgentEventData } from '../../surfaces/fabric/wire.ts'

export type Json = AgentEventData['result']['result']
export type JsonObject = AgentEventData['tool_start']['args']

export interface Invoked {
  readonly result: Json
  readonly sessionId: string
  readonly agentPath: string
}

/** A run that was taken on; `fabric.run` tells how it stands. */
export interface Accepted {
  readonly status: 'accepted'
  readonly sessionId: string
  readonly agentPath: string
  readonly runId: string
}

export interface RunStanding {
  readonly runId: string
  /** completed, failed and cancelled are final. */
  readonly status: string
  readonly result?: Json
  readonly error?: { readonly message: string; readonly reason: string | null }
}

export interface SessionFilter {
  readonly status?: string
  readonly kind?: string
  readonly agent?: string
  readonly parent?: string
  readonly search?: string
  /** updated (default): newest change first. created: oldest first; pages meet each session once, whatever changes. */
  readonly order?: 'updated' | 'created'
  readonly limit?: number
  /** The `next` of the page before. */
  readonly cursor?: string
}

export interface SessionRow {
  readonly id: string
  readonly agent: string
  readonly kind: string
  readonly status: string
  readonly title: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastEventId: string
  readonly pendingApprovals: number
}

export interface SessionPage {
  readonly sessions: readonly SessionRow[]
  readonly next?: string
}

export interface SessionDetail {
  readonly id: string
  readonly agent: string
  readonly status: string
  readonly title: string | null
  readonly updatedAt: string
  readonly lastEventId: string
  readonly runId: string | null
  readonly queued: number
  readonly lastError: string | null
  readonly approvals: readonly {
    readonly id: string
    readonly toolName: string
    readonly args: JsonObject
    readonly reason: string
  }[]
}

export interface OpenApproval {
  readonly id: string
  readonly sessionId: string
  readonly agent: string
  /** Title of the session. */
  readonly title: string | null
  readonly toolName: string
  /** Null = too large for a list; the session has them. */
  readonly args: JsonObject | null
  readonly reason: string
  /** The session has more of the title, the tool's name, the reason or the arguments. */
  readonly isCut: boolean
  readonly requestedAt: string
  readonly expiresAt: string | null
}

export interface ApprovalPage {
  readonly approvals: readonly OpenApproval[]
  readonly next?: string
}

export interface Verdict {
  /** Other arguments than those asked for; with `approve` only. */
  readonly args?: JsonObject
  readonly reason?: string
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

export interface Readiness {
  readonly ready: boolean
  /** These two only for those who may come in. */
  readonly workspace?: JsonObject
  readonly agents?: readonly AgentStanding[]
}

export interface AgentStanding {
  readonly name: string
  readonly description: string
  readonly available: boolean
  /** What is missing before it can run. */
  readonly needs?: string
}
