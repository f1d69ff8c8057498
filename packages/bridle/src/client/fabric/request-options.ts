// The options of calls to the Fabric HTTP wire. The types of its answers are in the `wire.ts` of the surfaces.
import type { AgentEventData } from '../../surfaces/fabric/wire.ts'

export type FabricJson = AgentEventData['result']['result']
export type FabricJsonObject = AgentEventData['tool_start']['args']

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

export interface DecisionOptions {
  /** Other arguments than those asked for; with `approve` only. */
  readonly args?: FabricJsonObject
  readonly reason?: string
  readonly actor?: string
  /** Which agent's session, where several have this id. */
  readonly agent?: string
}
