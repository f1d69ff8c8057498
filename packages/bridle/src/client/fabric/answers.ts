// What the Fabric HTTP wire answers, as far as callers rely on it. Answers may hold more than this.
import type { AgentEventData } from '../../surfaces/fabric/wire.ts'

export type FabricJson = AgentEventData['result']['result']
export type FabricJsonObject = AgentEventData['tool_start']['args']

export interface InvokeResult {
  readonly result: FabricJson
  readonly sessionId: string
  readonly agentPath: string
}

/** A run that was taken on; `fabric.run` tells how it stands. */
export interface AcceptedRun {
  readonly status: 'accepted'
  readonly sessionId: string
  readonly agentPath: string
  readonly runId: string
}

export interface RunStatus {
  readonly runId: string
  /** completed, failed and cancelled are final. */
  readonly status: string
  readonly result?: FabricJson
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
    readonly args: FabricJsonObject
    readonly reason: string
  }[]
}

export interface PendingApproval {
  readonly id: string
  readonly sessionId: string
  readonly agent: string
  /** Title of the session. */
  readonly title: string | null
  readonly toolName: string
  /** Null = too large for a list; the session has them. */
  readonly args: FabricJsonObject | null
  readonly reason: string
  /** The session has more of the title, the tool's name, the reason or the arguments. */
  readonly isCut: boolean
  readonly requestedAt: string
  readonly expiresAt: string | null
}

export interface ApprovalPage {
  readonly approvals: readonly PendingApproval[]
  readonly next?: string
}

export interface DecisionOptions {
  /** Other arguments than those asked for; with `approve` only. */
  readonly args?: FabricJsonObject
  readonly reason?: string
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}

export interface Readiness {
  readonly ready: boolean
  /** These two only for those who may come in. */
  readonly workspace?: FabricJsonObject
  readonly agents?: readonly AgentStatus[]
}

export interface AgentStatus {
  readonly name: string
  readonly description: string
  readonly available: boolean
  /** What is missing before it can run. */
  readonly needs?: string
}
