// The events that a function reported in its earlier attempts. The function reports them again when it begins again; an event that
// equals one in the log is left out.
import { canonicalJson, type JsonObject } from '../../kernel/json.ts'

/** An event in the log. */
export interface ReplayedEvent {
  readonly seq: number
  readonly payload: JsonObject
  /** A call was open: the event may be of its tool, which is not run again once the call is settled. */
  readonly isInCall: boolean
}

export class EventReplay {
  readonly #events = new Map<string, ReplayedEvent[]>()

  add(type: string, event: ReplayedEvent): void {
    const earlier = this.#events.get(type)
    if (earlier) earlier.push(event)
    else this.#events.set(type, [event])
  }

  /**
   * Takes the first event in the log after `after` that has all of these fields: the kernel adds some of its own. One that no call
   * may have reported comes first. Each counts once.
   */
  take(type: string, fields: object, after = 0): JsonObject | null {
    const found = this.#matching(type, fields, after)
    const event = found.find(({ isInCall }) => !isInCall) ?? found[0]
    if (!event) return null
    this.#remove(type, [event])
    return event.payload
  }

  /** Every event that has these fields, for a caller that compares more than the payload. */
  candidates(type: string, fields: object, after = 0): readonly JsonObject[] {
    return this.#matching(type, fields, after).map(({ payload }) => payload)
  }

  /** Takes every event between two numbers. */
  takeBetween(type: string, after: number, before: number): readonly JsonObject[] {
    const found = (this.#events.get(type) ?? []).filter(({ seq }) => seq > after && seq < before)
    this.#remove(type, found)
    return found.map(({ payload }) => payload)
  }

  clear(): void {
    this.#events.clear()
  }

  #matching(type: string, fields: object, after: number): readonly ReplayedEvent[] {
    const matches = matcher(fields)
    return (this.#events.get(type) ?? []).filter(({ seq, payload }) => seq > after && matches(payload))
  }

  #remove(type: string, events: readonly ReplayedEvent[]): void {
    if (events.length === 0) return
    this.#events.set(
      type,
      (this.#events.get(type) ?? []).filter((each) => !events.includes(each)),
    )
  }
}

const matcher = (fields: object): ((payload: JsonObject) => boolean) => {
  const expected = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, canonicalJson(value)])
  return (payload) => expected.every(([name, text]) => canonicalJson(payload[name]) === text)
}
