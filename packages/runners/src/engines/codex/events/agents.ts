// The subagents of Codex: each is another thread of the same process.
import type { JsonObject } from '@bridle/events/json'
import type { RunnerEvent } from '../../../protocol/protocol.ts'
import { listOf, textIn } from './lenient-json.ts'
import type { CodexAgent, CodexTurnState } from './turn-state.ts'

/** The agent whose thread it is; null = the session's own. */
export type AgentThread = CodexAgent & { readonly id: string }

export const activeTurns = ({ agents }: CodexTurnState): { threadId: string; turnId: string }[] =>
  [...agents].flatMap(([threadId, { turn }]) => (turn === null ? [] : [{ threadId, turnId: turn }]))

export const agentOf = (seen: CodexTurnState, id: string): AgentThread => {
  const known = seen.agents.get(id)
  return { id, call: known?.call, turn: known?.turn ?? null, summary: known?.summary }
}

export const agentMessageCompleted = (item: JsonObject, seen: CodexTurnState, agent: AgentThread): RunnerEvent[] => {
  const known = seen.agents.get(agent.id)
  if (known) known.summary = textIn(item, 'text')
  return []
}

export const agentsSpawned = (
  call: string,
  { tool, receiverThreadIds }: JsonObject,
  seen: CodexTurnState,
): RunnerEvent[] =>
  tool !== 'spawnAgent'
    ? []
    : listOf(receiverThreadIds).flatMap((id) => {
        if (typeof id !== 'string' || seen.agents.has(id)) return []
        seen.agents.set(id, { call, turn: null, summary: undefined })
        return [agentStarted(id, call)]
      })

/** An agent may start before the call that spawns it has ended and named it. A single open spawn call must be its call. */
export const onlySpawnCall = ({ openCalls, agents }: CodexTurnState): string | undefined => {
  const taken = new Set([...agents.values()].map(({ call }) => call))
  const calls = [...openCalls].filter(([id, { name }]) => name === 'spawnAgent' && !taken.has(id))
  return calls.length === 1 ? calls[0]![0] : undefined
}

export const agentStarted = (agentId: string, call: string | undefined): RunnerEvent => ({
  type: 'subagent.started',
  agentId,
  ...(call !== undefined && { toolUseId: call }),
})

export const agentActivity = (item: JsonObject, seen: CodexTurnState): RunnerEvent[] => {
  const agentId = textIn(item, 'agentThreadId')
  if (agentId === undefined) return []
  if (item.kind === 'started') {
    if (seen.agents.has(agentId)) return []
    seen.agents.set(agentId, { call: undefined, turn: null, summary: undefined })
    return [agentStarted(agentId, undefined)]
  }
  return item.kind === 'interacted' ? [{ type: 'subagent.progress', agentId }] : []
}
