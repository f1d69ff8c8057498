// The events of earlier attempts. A function reports them again; an event that equals one in the log is left out.
import { canonicalJson, type JsonObject } from '@bridle/events/json'

export interface ReplayedEvent {
  readonly seq: number
  readonly payload: JsonObject
  /** A call was open: the event may be of its tool, which is not run again once the call is settled. */
  readonly isInCall: boolean
}

export class EventReplay {
  readonly #events = new Map<string, StoredEvent[]>()

  add(type: string, event: ReplayedEvent): void {
    const stored = { ...event, texts: new Map<string, string>() }
    const earlier = this.#events.get(type)
    if (earlier) earlier.push(stored)
    else this.#events.set(type, [stored])
  }

  /** Takes the first event after `after` that has these fields, once; the kernel adds others. Events that no call may have reported come first. */
  take(type: string, fields: object, after = 0): JsonObject | null {
    // The log has nothing of a new call: there is no need to look.
    if (after === Number.POSITIVE_INFINITY) return null
    const events = this.#events.get(type) ?? []
    const matches = matcher(fields, after)
    const outside = events.findIndex((event) => !event.isInCall && matches(event))
    const index = outside < 0 ? events.findIndex(matches) : outside
    return index < 0 ? null : (events.splice(index, 1)[0]?.payload ?? null)
  }

  /** Every event that has these fields, for a caller that compares more than the payload. */
  candidates(type: string, fields: object, after = 0): readonly JsonObject[] {
    return (this.#events.get(type) ?? []).filter(matcher(fields, after)).map(({ payload }) => payload)
  }

  takeBetween(type: string, after: number, before: number): readonly JsonObject[] {
    const events = this.#events.get(type) ?? []
    const first = events.findIndex(({ seq }) => seq > after)
    if (first < 0) return []
    const behind = events.findIndex(({ seq }) => seq >= before)
    return events.splice(first, (behind < 0 ? events.length : behind) - first).map(({ payload }) => payload)
  }

  clear(): void {
    this.#events.clear()
  }
}

/** With its fields as texts, each written once: a function of many steps compares many events. */
interface StoredEvent extends ReplayedEvent {
  readonly texts: Map<string, string>
}

const fieldText = ({ payload, texts }: StoredEvent, name: string): string => {
  const text = texts.get(name) ?? canonicalJson(payload[name])
  texts.set(name, text)
  return text
}

const matcher = (fields: object, after: number): ((event: StoredEvent) => boolean) => {
  const expected = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, canonicalJson(value)])
  return (event) => event.seq > after && expected.every(([name, text]) => fieldText(event, name) === text)
}
