// Files of exports that somebody wrote by hand: their last line is right, since a digest stops nobody who writes the file.
import { createHash } from 'node:crypto'
import type { JsonObject } from '@bridle/events/json'

export const HEADER = '{"bridle":"export","version":1,"created_by":"bridle"}'

/** A file of these lines, with a right last line. */
export const signedFile = (lines: readonly string[]): string => {
  const body = lines.map((line) => `${line}\n`).join('')
  const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`
  const sessions = lines.filter((line) => line.startsWith('{"session"')).length
  return `${body}${JSON.stringify({ end: { sessions, entries: lines.length - 1 - sessions, digest } })}\n`
}

export interface WrittenEvent {
  readonly type: string
  readonly run?: string
  readonly attempt?: number
  readonly payload: JsonObject
}

export interface WrittenSession {
  readonly id: string
  readonly agent?: string
  readonly kind?: 'chat' | 'background'
  /** The payload of the first event. */
  readonly opening?: JsonObject
  readonly events?: readonly WrittenEvent[]
  /** The event of another session that this one continues. */
  readonly parent?: { readonly id: string; readonly seq: number }
  /** The time of its events. */
  readonly at?: number
}

/** The lines of a session: its own line, its first event, and these events. */
export const sessionLines = ({
  id,
  agent = 'scripted',
  kind = 'chat',
  opening = {},
  events = [],
  parent,
  at = 1_600_000_000_000,
}: WrittenSession): readonly string[] => {
  const from = parent && { agent, id: parent.id, seq: parent.seq }
  const first: WrittenEvent = from
    ? {
        type: 'branched',
        payload: {
          ...{ parent: from, kind, source_event_id: `ev-${from.seq}`, resume_cursor: `branch:${from.id}:${from.seq}` },
          ...opening,
        },
      }
    : { type: 'session_created', payload: { kind, agent, ...opening } }
  const base = parent?.seq ?? 0
  return [
    JSON.stringify({ session: { id, agent, kind, ...(from && { parent: from }) } }),
    ...[first, ...events].map(({ type, run, attempt, payload }, index) =>
      JSON.stringify({
        ...{ seq: base + index + 1, at, type },
        ...(run !== undefined && { run }),
        ...(attempt !== undefined && { attempt }),
        payload,
      }),
    ),
  ]
}

/** The events of a turn: a prompt and its answer. The prompt is event `seq`. */
export const turnEvents = (seq: number, prompt: string, answer = 'Done.'): readonly WrittenEvent[] => {
  const run = `r-${seq}`
  const own = { run, attempt: 1 }
  return [
    { type: 'prompt_queued', payload: { run_id: run, message_id: `m-${seq}`, text: prompt } },
    { type: 'run_requested', payload: { run_id: run, attempt: 1 } },
    { type: 'turn_start', ...own, payload: { turn_id: run, prompt, message_id: `m-${seq + 2}` } },
    { type: 'token', ...own, payload: { text: answer } },
    { type: 'response', ...own, payload: { text: answer } },
    { type: 'turn_end', ...own, payload: { turn_id: run, status: 'completed', stop_reason: 'end_turn', queued: 0 } },
  ]
}

export const writtenFile = (...sessions: readonly WrittenSession[]): string =>
  signedFile([HEADER, ...sessions.flatMap(sessionLines)])
