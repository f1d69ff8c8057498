// The tool calls of a session with their times. A call is known by its id, never by its name.
import type { FrontendBatch, FrontendState, FrontendTool, FrontendTurn, StreamEnvelopeOf } from 'bridle/client'

/** `none`: the turn ended, or was tried again, and nobody reported how the call ended. */
export type CallStatus = 'running' | 'waiting' | 'none' | StreamEnvelopeOf<'tool_outcome'>['payload']['status']

export interface Call {
  /** The number of the first event of the call: an engine may use an id again. */
  readonly seq: number
  readonly lastSeq: number
  readonly toolCallId: string
  readonly name: string
  readonly status: CallStatus
  readonly turnId: string
  /** In ms since 1970. */
  readonly beganAt: number
  /** Null while the call is open. */
  readonly endedAt: number | null
  /** The time that the tool took, as told, or else the time between its events; null while the call is open. */
  readonly durationMs: number | null
  readonly arguments: FrontendTool['arguments']
  /** Undefined where nobody told one. */
  readonly result: unknown
  readonly error: string | null
  readonly effect: string | null
  readonly outcome: FrontendTool['outcome']
  /** The decision about the call, where somebody was asked. */
  readonly decision: string | null
  readonly wait: CallWait | null
  /** The question that it asks; null = it asks none. */
  readonly question: FrontendTool['question']
  /** The subagent that made the call, where the wire says so. */
  readonly agentId: string | null
  /** The batch of calls that the agent made at once; null where its engine tells none. */
  readonly wave: string | null
  /** The number of the try that made the call, and whether a later one replaced it. */
  readonly attempt: number
  readonly isSuperseded: boolean
}

/** The time until somebody answered the approval of a call. */
export interface CallWait {
  readonly from: number
  /** Null while nobody has answered. */
  readonly to: number | null
  readonly actor: string | null
  readonly isEdited: boolean
}

/** In the order of their first events. */
export const callsOf = ({ turns }: Pick<FrontendState, 'turns'>): readonly Call[] => {
  let waves = 0
  const calls = turns.flatMap((turn) => {
    const before = waves
    waves += turn.batches.length
    const waveOf = wavesOf(turn, before)
    return turn.tools.map((tool) => callOf(tool, turn.turnId, waveOf(tool)))
  })
  return calls.sort((one, other) => one.seq - other.seq)
}

const callOf = (tool: FrontendTool, turnId: string, wave: string | null): Call => {
  const { outcome, approval } = tool
  const status = statusOf(tool)
  const wait = waitOf(tool)
  // The time until the answer is a person's, not the tool's.
  const startedAt = wait?.to ?? Date.parse(tool.startedAt)
  const endedAt = tool.endedAt === null ? null : Date.parse(tool.endedAt)
  const tookMs = outcome?.elapsed_ms ?? null
  return {
    seq: tool.seq,
    lastSeq: tool.lastSeq,
    toolCallId: tool.toolCallId,
    name: tool.name,
    status,
    turnId,
    // A tool that tells its time began so long before its outcome: its bar is as long as its number says.
    beganAt: endedAt === null || tookMs === null ? startedAt : Math.max(startedAt, endedAt - tookMs),
    endedAt,
    durationMs: endedAt === null || !outcome || status === 'none' ? null : (tookMs ?? endedAt - startedAt),
    arguments: tool.arguments,
    result: outcome?.result ?? tool.result ?? undefined,
    error: outcome?.error ?? outcome?.reason ?? null,
    effect: tool.effect,
    outcome,
    decision: approval === 'required' ? null : approval,
    wait,
    question: tool.question,
    agentId: tool.agentId,
    wave,
    attempt: tool.attempt,
    isSuperseded: tool.superseded,
  }
}

const statusOf = ({ outcome, endedAt, approval }: FrontendTool): CallStatus => {
  // The call never began: its approval ended with the run, or stayed with the session that was branched.
  if (outcome?.status === 'error' && approval === 'cancelled') return 'none'
  if (outcome) return outcome.status
  if (endedAt !== null) return 'none'
  return approval === 'required' ? 'waiting' : 'running'
}

const waitOf = ({ wait }: FrontendTool): CallWait | null =>
  wait && {
    from: Date.parse(wait.askedAt),
    to: wait.answeredAt === null ? null : Date.parse(wait.answeredAt),
    actor: wait.actor,
    isEdited: wait.isEdited,
  }

/**
 * Waves count on over the turns, so that no two have one name. Where another try uses an id again, two batches of the turn name it:
 * the nearer one is the call's.
 */
const wavesOf = ({ batches }: FrontendTurn, before: number): ((tool: FrontendTool) => string | null) => {
  const byId = new Map<string, { readonly batch: FrontendBatch; readonly wave: string }[]>()
  for (const [index, batch] of batches.entries())
    for (const id of batch.toolCallIds)
      byId.set(id, [...(byId.get(id) ?? []), { batch, wave: String(before + index + 1) }])
  return ({ toolCallId, seq }) => {
    const distance = (batch: FrontendBatch): number => Math.abs(batch.seq - seq)
    const named = byId.get(toolCallId) ?? []
    return named.toSorted((one, other) => distance(one.batch) - distance(other.batch))[0]?.wave ?? null
  }
}
