// The things of an entry that filters ask for.
import type { LogEntry } from 'bridle/history'

export interface EntryFacts {
  readonly type: string
  /** The calls that it is about: a wave has several. */
  readonly calls: readonly string[]
  readonly tool: string | null
  readonly status: string | null
}

export const factsOf = ({ type, payload }: LogEntry): EntryFacts => ({
  type,
  calls: callsOf(payload),
  tool: textOf(payload.tool_name) ?? (type === 'tool_call' ? textOf(payload.name) : null),
  status: textOf(payload.status) ?? textOf(payload.decision) ?? textOf(payload.outcome),
})

const callsOf = (payload: LogEntry['payload']): readonly string[] => {
  const { tool_call_id: call, tool_call_ids: calls } = payload
  if (Array.isArray(calls)) return calls.filter((each) => typeof each === 'string')
  return typeof call === 'string' && call !== '' ? [call] : []
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
