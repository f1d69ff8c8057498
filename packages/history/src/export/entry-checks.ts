import { catalogue, isEventType } from '@bridle/events/catalogue'
import { isJsonObject, type JsonObject, ownProperty } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import { messageIdOf, runIdOf } from '@bridle/kernel/ids'
import { type LogEntry, unscrubbedEntryOf } from '@bridle/wire/log-entry'
import { ExportError } from './export-error.ts'
import type { ExportSession } from './export-file.ts'

/** A thousand events per second take thirty years to get here. Larger ids get too long, and eventually numbers become inexact. */
export const SEQ_MAX = 1_000_000_000_000

interface CheckedSession {
  readonly session: ExportSession
  /** Checks of the parent, if it is in the file. */
  readonly above: EntryChecks | null
  readonly startsAt: number
}

export class EntryChecks {
  readonly #session: ExportSession
  readonly #above: EntryChecks | null
  /** Times of the session's own events, by index. */
  readonly #times: number[] = []
  /** The event that introduced each run, message and request. */
  readonly #facts = new Map<string, number>()
  /** Text of each queued prompt, by run. */
  readonly #prompts = new Map<unknown, unknown>()
  #first = 0
  #at: number

  constructor({ session, above, startsAt }: CheckedSession) {
    this.#session = session
    this.#above = above
    this.#at = startsAt
  }

  /** Includes the history of a branch. Undefined if the file lacks the event. */
  timeAt(seq: number): number | undefined {
    const { parent } = this.#session
    if (parent && seq <= parent.seq) return this.#above?.timeAt(seq)
    return this.#times[seq - this.#first]
  }

  check(value: JsonObject, text: string, line: number): LogEntry {
    const entry = value as unknown as LogEntry
    const refuse = (message: string) => new ExportError(line, message)
    const { seq, at, type } = entry
    const due = this.#times.length > 0 ? this.#first + this.#times.length : (this.#session.parent?.seq ?? null)
    const isFirst = this.#times.length === 0
    const next = isFirst ? (due === null ? null : due + 1) : due
    if (!Number.isSafeInteger(seq) || seq < 1 || (next !== null && seq !== next))
      throw refuse(
        `Event ${JSON.stringify(seq)} where ${next ?? 'a number'} was due: events are missing. Export it again.`,
      )
    // Beyond safe integers, adding one yields the same number, and loops over a log would never end.
    if (seq > SEQ_MAX) throw refuse(`Event ${seq}: No server writes such a number.`)
    if (!Number.isSafeInteger(at) || at < this.#at) throw refuse('The time goes back. Export it again.')
    if (typeof type !== 'string' || !isEventType(type) || !catalogue[type].persisted)
      throw refuse(`This program knows no event ${JSON.stringify(type)?.slice(0, 60)}. Use a newer one.`)
    if (!isJsonObject(entry.payload) || Object.hasOwn(entry.payload, '__proto__') || text !== lineOf(entry))
      throw refuse('The line is not as a server writes it. Export it again, and do not edit the file.')
    // The first event must not be hearsay: without it, folds would have no session.
    const forgery = entry.hearsay && !isFirst ? null : this.#forgery(entry, isFirst)
    if (forgery) throw refuse(`${forgery} Export it again, and do not edit the file.`)
    if (isFirst) this.#first = seq
    this.#times.push(at)
    this.#at = at
    return entry
  }

  /** Why the event does not follow from earlier ones, or null. */
  #forgery({ seq, type, payload, hearsay }: LogEntry, isFirst: boolean): string | null {
    const { parent, kind, agent } = this.#session
    const opening = parent ? 'branched' : 'session_created'
    if (isFirst !== (type === opening && !hearsay))
      return isFirst ? `The first event is no \`${opening}\`.` : `A second \`${opening}\`.`
    if (type === 'session_created') {
      if (parent || payload.kind !== kind || payload.agent !== agent) return 'The event is of another session.'
    } else if (type === 'branched') {
      const from = payload.parent as JsonObject | undefined
      const isOwn = parent && from?.id === parent.id && from.agent === parent.agent && from.seq === parent.seq
      if (!isOwn || payload.kind !== kind) return 'The event is of another branch.'
    }
    const wrongId = this.#wrongId(type, seq, payload)
    if (wrongId) return wrongId
    if (type === 'prompt_queued') this.#prompts.set(payload.run_id, payload.text)
    // People confirm the queued prompt, but agents read the turn's. A branch starts none of its parent's runs.
    const isOwnRun = this.#prompts.has(payload.turn_id)
    if (type === 'turn_start' && (isOwnRun || parent) && this.#prompts.get(payload.turn_id) !== payload.prompt)
      return 'The prompt of `turn_start` is not the prompt of its run.'
    for (const field of ownProperty(INTRODUCES, type) ?? []) this.#facts.set(`${field}:${payload[field]}`, seq)
    const needed = ownProperty(NEEDS, type)
    if (!needed) return null
    const [field, name] = needed
    const value = payload[field]
    return this.#knows(`${name}:${value}`, seq)
      ? null
      : `Nothing before \`${type}\` tells of ${JSON.stringify(value)?.slice(0, 60)}.`
  }

  /** Ids of prompts, answers and runs contain their event's number, so that none can pass for a later one. */
  #wrongId(type: string, seq: number, { run_id, message_id }: JsonObject): string | null {
    const isAnswer = type === 'turn_start' && message_id !== undefined
    if (type !== 'prompt_queued' && type !== 'steered' && !isAnswer) return null
    if (type === 'prompt_queued' && run_id !== runIdOf(seq)) return `The run of event ${seq} is \`${runIdOf(seq)}\`.`
    // A late steering prompt is queued under its old id.
    const isKnown = type === 'prompt_queued' && this.#knows(`message_id:${message_id}`, seq)
    return isKnown || message_id === messageIdOf(seq) ? null : `The message of event ${seq} is \`${messageIdOf(seq)}\`.`
  }

  #knows(fact: string, before: number): boolean {
    let upTo = before
    for (let checks: EntryChecks = this; ; checks = checks.#above) {
      if ((checks.#facts.get(fact) ?? upTo) < upTo) return true
      const { parent } = checks.#session
      // History outside of the file was validated when it was written.
      if (!parent || !checks.#above) return parent !== undefined
      upTo = Math.min(upTo, parent.seq + 1)
    }
  }
}

const lineOf = (entry: LogEntry): string => JSON.stringify(unscrubbedEntryOf(eventOf(entry)))

/** Events with a withheld payload become hearsay, which folds ignore. */
export const eventOf = ({ withheld, ...entry }: LogEntry): AnyEvent =>
  (withheld ? { ...entry, hearsay: true } : entry) as unknown as AnyEvent

/** Fields in which an event introduces a fact. */
const INTRODUCES: { readonly [type: string]: readonly string[] } = {
  prompt_queued: ['run_id'],
  steered: ['message_id'],
  approval_required: ['request_id'],
}

/** Facts that must precede an event, or it is a forgery. */
const NEEDS: { readonly [type: string]: readonly [field: string, fact: string] } = {
  run_requested: ['run_id', 'run_id'],
  run_started: ['run_id', 'run_id'],
  run_parked: ['run_id', 'run_id'],
  run_stopped: ['run_id', 'run_id'],
  turn_start: ['turn_id', 'run_id'],
  turn_end: ['turn_id', 'run_id'],
  approval_decided: ['request_id', 'request_id'],
  approval_applied: ['request_id', 'request_id'],
  approval_delivered: ['request_id', 'request_id'],
}
