// The tool calls of a session with their times, from the events of its timeline. A call is known by its id, never by its name.
import type { FrontendState, StreamEnvelopeOf, TimelineEntry } from 'bridle/client'

type Payload<T extends Parameters<typeof payloadOf>[1]> = StreamEnvelopeOf<T>['payload']
type ToolArguments = Payload<'tool_call'>['arguments']

/** `none`: the turn ended, or was tried again, and nobody reported how the call ended. */
export type CallStatus = 'running' | 'waiting' | 'none' | Payload<'tool_outcome'>['status']

export interface Call {
  /** The number of the first event of the call: an engine may use an id again. */
  readonly seq: number
  readonly lastSeq: number
  readonly toolCallId: string
  readonly name: string
  readonly status: CallStatus
  readonly turnId: string | null
  /** In ms since 1970. */
  readonly beganAt: number
  /** Null while the call is open. */
  readonly endedAt: number | null
  /** The time that the tool took, as told, or else the time between its events; null while the call is open. */
  readonly durationMs: number | null
  readonly arguments: ToolArguments | null
  readonly result: unknown
  readonly error: string | null
  readonly effect: string | null
  readonly outcomeType: string | null
  /** The decision about the call, where somebody was asked. */
  readonly decision: string | null
  /** The subagent that made the call, where the wire says so. */
  readonly agentId: string | null
  /** The batch of calls that the agent made at once; null where its engine tells none. */
  readonly wave: string | null
}

/** In the order of their first events. */
export const callsOf = ({
  timeline,
  diagnostics,
}: Pick<FrontendState, 'timeline' | 'diagnostics'>): readonly Call[] => {
  const calls: Call[] = []
  for (const entry of timeline) foldEntry(calls, entry)
  const waves = wavesOf(diagnostics)
  return calls.map((call) => ({ ...call, wave: waves.get(waveKey(call.turnId, call.toolCallId)) ?? null }))
}

const foldEntry = (calls: Call[], entry: TimelineEntry): void => {
  const at = Date.parse(entry.timestamp)
  const change = (id: string, name: string, more: (call: Call) => Partial<Call>): void => {
    const index = calls.findLastIndex(
      ({ toolCallId, turnId, endedAt }) => toolCallId === id && turnId === entry.turnId && endedAt === null,
    )
    const call = calls[index] ?? newCall(entry, id, name, at)
    const changed = { ...call, lastSeq: entry.seq, ...agentOf(entry), ...more(call) }
    if (index < 0) calls.push(changed)
    else calls[index] = changed
  }
  const end = (call: Call): Call =>
    call.endedAt === null && (entry.turnId === null || call.turnId === entry.turnId)
      ? { ...call, status: 'none', endedAt: at, durationMs: null }
      : call
  switch (entry.type) {
    case 'tool_call': {
      const { tool_call_id: id, name, arguments: given, effect = null } = payloadOf(entry, 'tool_call')
      return change(id, name, () => ({ name, arguments: given, effect }))
    }
    case 'tool_result': {
      const { tool_call_id: id, tool_name: name = 'tool', result } = payloadOf(entry, 'tool_result')
      return change(id, name, () => ({ result }))
    }
    case 'tool_outcome': {
      const { tool_call_id: id, tool_name: name, ...outcome } = payloadOf(entry, 'tool_outcome')
      return change(id, name, (call) => ({
        status: outcome.status,
        outcomeType: outcome.outcome_type,
        endedAt: at,
        durationMs: outcome.elapsed_ms ?? at - call.beganAt,
        result: outcome.result ?? call.result,
        error: outcome.error ?? outcome.reason ?? null,
      }))
    }
    case 'approval_required': {
      const {
        tool_call_id: id,
        tool_name: name,
        kind = 'tool',
        arguments: asked,
      } = payloadOf(entry, 'approval_required')
      if (kind !== 'tool' || id === '') return
      return change(id, name, (call) => ({ status: 'waiting', arguments: call.arguments ?? asked ?? null }))
    }
    case 'approval_applied': {
      const {
        tool_call_id: id,
        tool_name: name,
        decision = 'approved',
        arguments: given,
      } = payloadOf(entry, 'approval_applied')
      const isAsked = calls.some(({ toolCallId, status }) => toolCallId === id && status === 'waiting')
      if (!isAsked) return
      // The time until the answer is a person's, not the tool's.
      return change(id, name, () => ({ status: 'running', beganAt: at, decision, ...(given && { arguments: given }) }))
    }
    case 'turn_end':
    case 'retry_scheduled':
      for (const [index, call] of calls.entries()) calls[index] = end(call)
      return
    case 'output_superseded':
      if (payloadOf(entry, 'output_superseded').keep === undefined)
        for (const [index, call] of calls.entries()) calls[index] = end(call)
      return
  }
}

/** The payload of an entry whose type was looked at. */
const payloadOf = <T extends TimelineEntry['type']>(entry: TimelineEntry, _type: T): StreamEnvelopeOf<T>['payload'] =>
  entry.payload as StreamEnvelopeOf<T>['payload']

const newCall = ({ seq, turnId }: TimelineEntry, toolCallId: string, name: string, at: number): Call => ({
  seq,
  lastSeq: seq,
  toolCallId,
  name,
  status: 'running',
  turnId,
  beganAt: at,
  endedAt: null,
  durationMs: null,
  arguments: null,
  result: undefined,
  error: null,
  effect: null,
  outcomeType: null,
  decision: null,
  agentId: null,
  wave: null,
})

const agentOf = ({ payload }: TimelineEntry): Pick<Call, 'agentId'> | undefined => {
  const { agent_id: agentId } = payload as { readonly agent_id?: unknown }
  return typeof agentId === 'string' ? { agentId } : undefined
}

const waveKey = (turnId: string | null, toolCallId: string): string => `${turnId} ${toolCallId}`

/** Waves count on over the turns, so that no two have one name. */
const wavesOf = (diagnostics: readonly TimelineEntry[]): ReadonlyMap<string, string> => {
  const waves = new Map<string, string>()
  let count = 0
  for (const entry of diagnostics) {
    if (entry.type !== 'tool_batch') continue
    count += 1
    for (const id of payloadOf(entry, 'tool_batch').tool_call_ids) waves.set(waveKey(entry.turnId, id), String(count))
  }
  return waves
}
