import type { StreamEnvelope } from '@bridle/wire/frontend/wire'
import type { FrontendState, FrontendTool, FrontendTurn } from './state.ts'

type Origin = Pick<StreamEnvelope, 'turn_id' | 'attempt' | 'seq' | 'timestamp'>

const newTurn = (turnId: string, attempt: number, startedAt: string): FrontendTurn => ({
  turnId,
  attempt,
  prompt: null,
  status: 'running',
  text: '',
  thinking: '',
  tools: [],
  batches: [],
  startedAt,
  endedAt: null,
  error: null,
  result: null,
})

/** Updates the envelope's turn. A later attempt restarts the turn and marks earlier calls as superseded. */
export const inTurn = (
  state: FrontendState,
  { turn_id, attempt = 1, timestamp }: Origin,
  change: (turn: FrontendTurn) => FrontendTurn,
): FrontendState => {
  if (turn_id === undefined) return state
  const index = state.turns.findLastIndex(({ turnId }) => turnId === turn_id)
  const turn = state.turns[index]
  if (!turn) return { ...state, turns: [...state.turns, change(newTurn(turn_id, attempt, timestamp))] }
  return {
    ...state,
    turns: state.turns.with(index, change(attempt > turn.attempt ? restartTurn(turn, attempt, timestamp) : turn)),
  }
}

export const restartTurn = (turn: FrontendTurn, attempt: number, at: string): FrontendTurn => ({
  ...newTurn(turn.turnId, attempt, turn.startedAt),
  prompt: turn.prompt,
  batches: turn.batches,
  tools: turn.tools.map((tool) => ({ ...tool, superseded: true, endedAt: tool.endedAt ?? at })),
})

/** Closes calls whose outcome will never arrive. */
export const endCalls = (turn: FrontendTurn, at: string): FrontendTurn =>
  turn.tools.every(({ endedAt }) => endedAt !== null)
    ? turn
    : { ...turn, tools: turn.tools.map((tool) => (tool.endedAt === null ? { ...tool, endedAt: at } : tool)) }

export const newTool = (toolCallId: string, name: string, { attempt = 1, seq, timestamp }: Origin): FrontendTool => ({
  toolCallId,
  name,
  arguments: null,
  result: null,
  status: 'running',
  outcome: null,
  approval: null,
  superseded: false,
  attempt,
  seq,
  lastSeq: seq,
  startedAt: timestamp,
  endedAt: null,
  effect: null,
  agentId: null,
  wait: null,
  question: null,
})

export const agentIn = (payload: { readonly agent_id?: unknown }): Pick<FrontendTool, 'agentId'> | undefined =>
  typeof payload.agent_id === 'string' ? { agentId: payload.agent_id } : undefined

/** Finds the newest call with the id. Engines may reuse ids, and names are not unique. */
export const withTool = (
  state: FrontendState,
  envelope: Origin & { readonly payload: object },
  { id, name }: { readonly id: string; readonly name: string },
  change: (tool: FrontendTool) => FrontendTool,
): FrontendState =>
  inTurn(state, envelope, (turn) => {
    const index = turn.tools.findLastIndex(({ toolCallId, superseded }) => toolCallId === id && !superseded)
    const tool = turn.tools[index]
    const changed = {
      ...change(tool ?? newTool(id, name, envelope)),
      ...agentIn(envelope.payload),
      lastSeq: envelope.seq,
    }
    return { ...turn, tools: tool ? turn.tools.with(index, changed) : [...turn.tools, changed] }
  })

/** A branch starts with its parent's history, but the parent's open calls and approvals do not continue in it. */
export const closeOpenWork = (state: FrontendState, at: string): FrontendState => ({
  ...state,
  approvals: {},
  turns: state.turns.map((turn) =>
    turn.status === 'running'
      ? { ...turn, status: 'cancelled', endedAt: at, tools: endCalls(turn, at).tools.map(closeTool) }
      : turn,
  ),
})

const closeTool = (tool: FrontendTool): FrontendTool => ({
  ...tool,
  ...(tool.status === 'running' && { status: 'error' }),
  ...(tool.approval === 'required' && { approval: 'cancelled' }),
})
