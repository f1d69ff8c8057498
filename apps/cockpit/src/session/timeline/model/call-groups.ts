// The groups of the chart: a wave of calls that the agent made at once, the calls of a subagent, and the calls of a turn in order where its
// engine tells no waves.
import type { FrontendState } from 'bridle/client'
import type { Call } from '../../inspector/timeline/call.ts'

/** The session of a subagent. */
export interface ChildSession {
  readonly id: string
  readonly agent: string
}

export interface CallGroupModel {
  readonly key: string
  readonly kind: 'wave' | 'turn' | 'agent'
  readonly label: string
  readonly note: string
  /** In the order of their first events; none for a subagent whose calls are in a session of its own. */
  readonly calls: readonly Call[]
  readonly child: ChildSession | null
  /** The call that gave the subagent its work. */
  readonly givenBy: Call | null
}

type Subagent = FrontendState['subagents'][string]

export const callGroups = (
  calls: readonly Call[],
  { turns, subagents, sessionId }: Pick<FrontendState, 'turns' | 'subagents' | 'sessionId'>,
): readonly CallGroupModel[] => {
  const turnNumbers = new Map(turns.map(({ turnId }, index) => [turnId, index + 1]))
  const groups = new Map<string, Call[]>()
  let place = ''
  for (const call of calls) {
    const isOwn = isOwnCall(call, sessionId)
    // Calls without a wave between two waves stay between them.
    if (isOwn) place = call.wave === null ? `turn ${call.turnId} ${lastWave(place)}` : `wave ${call.wave}`
    const key = isOwn ? place : `agent ${call.agentId}`
    const group = groups.get(key)
    if (group) group.push(call)
    else groups.set(key, [call])
  }
  const models: CallGroupModel[] = []
  for (const [key, group] of groups) {
    const [first] = group as [Call, ...Call[]]
    if (key.startsWith('agent ')) models.push(agentGroup(first.agentId ?? '', group, subagents, calls))
    else models.push(ownGroup(key, group as [Call, ...Call[]], turnNumbers))
  }
  return withSilentAgents(models, calls, subagents, sessionId)
}

/** In the session of a subagent the calls name that session itself. */
const isOwnCall = ({ agentId }: Call, sessionId: string | null): boolean => agentId === null || agentId === sessionId

const lastWave = (place: string): string => (place.startsWith('wave ') ? place.slice(5) : (place.split(' ')[2] ?? ''))

const ownGroup = (key: string, calls: [Call, ...Call[]], turnNumbers: ReadonlyMap<string, number>): CallGroupModel => {
  const [first] = calls
  const turn = turnNumbers.get(first.turnId) ?? 1
  const inTurn = turnNumbers.size > 1 ? `turn ${turn}` : ''
  const count =
    calls.length === 1 ? '1 call' : first.wave === null ? `${calls.length} calls` : `${calls.length} in parallel`
  const replaced = calls.every(({ isSuperseded }) => isSuperseded) ? `attempt ${first.attempt}, replaced` : ''
  return {
    key,
    kind: first.wave === null ? 'turn' : 'wave',
    label: first.wave === null ? `Turn ${turn}` : `Wave ${first.wave}`,
    note: [count, first.wave === null ? '' : inTurn, replaced].filter(Boolean).join(', '),
    calls,
    child: null,
    givenBy: null,
  }
}

const agentGroup = (
  agentId: string,
  calls: readonly Call[],
  subagents: FrontendState['subagents'],
  all: readonly Call[],
): CallGroupModel => {
  const subagent: Subagent | undefined = subagents[agentId]
  const childId = subagent?.session_id
  const agent = subagent?.agent ?? agentId
  return {
    key: `agent ${agentId}`,
    kind: 'agent',
    label: agent,
    note: ['subagent', subagent?.status].filter(Boolean).join(', '),
    calls,
    child: childId === undefined ? null : { id: childId, agent },
    givenBy: all.findLast(({ toolCallId }) => toolCallId === subagent?.tool_call_id) ?? null,
  }
}

/** A subagent in a session of its own makes its calls there: its lane stands behind the call that gave it its work. */
const withSilentAgents = (
  groups: readonly CallGroupModel[],
  calls: readonly Call[],
  subagents: FrontendState['subagents'],
  sessionId: string | null,
): readonly CallGroupModel[] => {
  const shown = [...groups]
  for (const agentId of Object.keys(subagents)) {
    if (agentId === sessionId || groups.some(({ key }) => key === `agent ${agentId}`)) continue
    const group = agentGroup(agentId, [], subagents, calls)
    const at = shown.findLastIndex(({ calls: own, givenBy }) => {
      const by = group.givenBy
      return by !== null && (own.includes(by) || (own.length === 0 && givenBy === by))
    })
    shown.splice(at < 0 ? shown.length : at + 1, 0, group)
  }
  return shown
}
