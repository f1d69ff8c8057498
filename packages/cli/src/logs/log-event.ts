// A log event in the stream's envelope format, from the stream or the log.
import type { LogEntry, StreamEnvelope } from '@bridle/client/index'

export interface LogEvent {
  readonly type: string
  readonly payload: { readonly [name: string]: unknown }
  readonly seq: number
  readonly session_id: string
  readonly timestamp: string
  readonly turn_id?: string
  readonly attempt?: number
  readonly hearsay?: true
  /** `type` and `payload` were chosen by the agent. */
  readonly custom?: true
}

export const eventOfEntry = (entry: LogEntry, sessionId: string): LogEvent => {
  const { seq, at, run, attempt, continues = attempt, hearsay } = entry
  const isCustom = entry.type === 'custom_event' && !hearsay
  return {
    ...(isCustom
      ? { type: String(entry.payload.name), payload: entry.payload.data as LogEvent['payload'] }
      : { type: entry.type, payload: entry.payload }),
    ...{ seq, session_id: sessionId, timestamp: new Date(at).toISOString() },
    ...(run !== undefined && { turn_id: run }),
    ...(continues !== undefined && { attempt: continues }),
    ...(hearsay && { hearsay }),
    ...(isCustom && { custom: true as const }),
  }
}

export const eventOfEnvelope = (envelope: StreamEnvelope): LogEvent => envelope as unknown as LogEvent
