// The checks of a session's entries, one after the other: numbers, times, shape, and facts that only a server decides.
import { catalogue, isEventType } from '@bridle/events/catalogue'
import { isJsonObject, type JsonObject, ownProperty } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import { messageIdOf, runIdOf } from '@bridle/kernel/ids'
import { type LogEntry, unscrubbedEntryOf } from '@bridle/wire/log-entry'
import { ExportError } from './export-error.ts'
import type { ExportSession } from './export-file.ts'

/** The number of an event: a thousand a second reach it after thirty years. Behind it ids get too long, and then numbers stop being exact. */
export const SEQ_MAX = 1_000_000_000_000

interface CheckedSession {
  readonly session: ExportSession
  /** The checks of the parent, where the file has it. */
  readonly above: EntryChecks | null
  readonly startsAt: number
}

export class EntryChecks {
  readonly #session: ExportSession
  readonly #above: EntryChecks | null
  /** The time of each own event, by its place. */
  readonly #times: number[] = []
  /** Runs and questions, with the number of the event that they came with. */
  readonly #facts = new Map<string, number>()
  /** The text of each queued prompt, by its run. */
  readonly #prompts = new Map<unknown, unknown>()
  #first = 0
  #at: number

  constructor({ session, above, startsAt }: CheckedSession) {
    this.#session = session
    this.#above = above
    this.#at = startsAt
  }

  /** The time of an event of the session, or of one that it branches from; undefined: the file has no such event. */
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
    // A log would count up from here until one more is the same number, and every loop over it would never end.
    if (seq > SEQ_MAX) throw refuse(`Event ${seq}: No server writes such a number.`)
    if (!Number.isSafeInteger(at) || at < this.#at) throw refuse('The time goes back. Export it again.')
    if (typeof type !== 'string' || !isEventType(type) || !catalogue[type].persisted)
      throw refuse(`This program knows no event ${JSON.stringify(type)?.slice(0, 60)}. Use a newer one.`)
    if (!isJsonObject(entry.payload) || Object.hasOwn(entry.payload, '__proto__') || text !== lineOf(entry))
      throw refuse('The line is not as a server writes it. Export it again, and do not edit the file.')
    // Without a first event that a fold believes, the log has no session.
    const forgery = entry.hearsay && !isFirst ? null : this.#forgery(entry, isFirst)
    if (forgery) throw refuse(`${forgery} Export it again, and do not edit the file.`)
    if (isFirst) this.#first = seq
    this.#times.push(at)
    this.#at = at
    return entry
  }

  /** A fact that does not follow from the events before it; null: there is none. */
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
    // People confirm the queued prompt, and agents read the prompt of the turn. A branch starts no run of its parent.
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

  /** Prompts, answers and runs have the number of their event in their ids, so that none passes for one that came later. */
  #wrongId(type: string, seq: number, { run_id, message_id }: JsonObject): string | null {
    const isAnswer = type === 'turn_start' && message_id !== undefined
    if (type !== 'prompt_queued' && type !== 'steered' && !isAnswer) return null
    if (type === 'prompt_queued' && run_id !== runIdOf(seq)) return `The run of event ${seq} is \`${runIdOf(seq)}\`.`
    // A prompt that came too late for its run waits under the id that it had there.
    const isKnown = type === 'prompt_queued' && this.#knows(`message_id:${message_id}`, seq)
    return isKnown || message_id === messageIdOf(seq) ? null : `The message of event ${seq} is \`${messageIdOf(seq)}\`.`
  }

  #knows(fact: string, before: number): boolean {
    let upTo = before
    for (let checks: EntryChecks = this; ; checks = checks.#above) {
      if ((checks.#facts.get(fact) ?? upTo) < upTo) return true
      const { parent } = checks.#session
      // Events of a parent that is not in the file were checked when the server wrote them.
      if (!parent || !checks.#above) return parent !== undefined
      upTo = Math.min(upTo, parent.seq + 1)
    }
  }
}

const lineOf = (entry: LogEntry): string => JSON.stringify(unscrubbedEntryOf(eventOf(entry)))

/** An entry as an event of a log. No fold believes an event whose payload stayed behind. */
export const eventOf = ({ withheld, ...entry }: LogEntry): AnyEvent =>
  (withheld ? { ...entry, hearsay: true } : entry) as unknown as AnyEvent

/** Facts that an event brings into a session, by the field that names them. */
const INTRODUCES: { readonly [type: string]: readonly string[] } = {
  prompt_queued: ['run_id'],
  steered: ['message_id'],
  approval_required: ['request_id'],
}

/** Facts that an event is about: without them, somebody made it up. */
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
