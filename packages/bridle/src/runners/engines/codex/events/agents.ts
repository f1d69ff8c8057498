// The agents that codex starts: each has a thread of its own, in the same process.
import type { JsonObject } from '../../../../kernel/json.ts'
import type { RunnerEvent } from '../../../protocol.ts'
import { listOf, textIn } from '../lenient-json.ts'
import type { Agent, Seen } from './turn-state.ts'

/** The agent whose thread it is; null = the session's own. */
export type Speaker = Agent & { readonly id: string }

/** The turns that agents are in. */
export const active = ({ agents }: Seen): { threadId: string; turnId: string }[] =>
  [...agents].flatMap(([threadId, { turn }]) => (turn === null ? [] : [{ threadId, turnId: turn }]))

export const agentOf = (seen: Seen, id: string): Speaker => {
  const known = seen.agents.get(id)
  return { id, call: known?.call, turn: known?.turn ?? null, summary: known?.summary }
}

export const heard = (item: JsonObject, seen: Seen, agent: Speaker): RunnerEvent[] => {
  const known = seen.agents.get(agent.id)
  if (known) known.summary = textIn(item, 'text')
  return []
}

export const spawned = (call: string, { tool, receiverThreadIds }: JsonObject, seen: Seen): RunnerEvent[] =>
  tool !== 'spawnAgent'
    ? []
    : listOf(receiverThreadIds).flatMap((id) => {
        if (typeof id !== 'string' || seen.agents.has(id)) return []
        seen.agents.set(id, { call, turn: null, summary: undefined })
        return [begun(id, call)]
      })

/** An agent may begin before the call that began it has ended and named it. With one such call there is no doubt. */
export const onlySpawn = ({ open, agents }: Seen): string | undefined => {
  const taken = new Set([...agents.values()].map(({ call }) => call))
  const calls = [...open].filter(([id, { name }]) => name === 'spawnAgent' && !taken.has(id))
  return calls.length === 1 ? calls[0]![0] : undefined
}

export const begun = (agentId: string, call: string | undefined): RunnerEvent => ({
  type: 'subagent.started',
  agentId,
  ...(call !== undefined && { toolUseId: call }),
})

export const activity = (item: JsonObject, seen: Seen): RunnerEvent[] => {
  const agentId = textIn(item, 'agentThreadId')
  if (agentId === undefined) return []
  if (item.kind === 'started') {
    if (seen.agents.has(agentId)) return []
    seen.agents.set(agentId, { call: undefined, turn: null, summary: undefined })
    return [begun(agentId, undefined)]
  }
  return item.kind === 'interacted' ? [{ type: 'subagent.progress', agentId }] : []
}
