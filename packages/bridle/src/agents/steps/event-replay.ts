// The events that a function reported in its earlier attempts. The function reports them again when it begins again; an event that
// equals one in the log is left out.
import { canonicalJson, type JsonObject } from '../../kernel/json.ts'

export class EventReplay {
  readonly #payloads = new Map<string, JsonObject[]>()

  add(type: string, payload: object): void {
    const earlier = this.#payloads.get(type)
    if (earlier) earlier.push(payload as JsonObject)
    else this.#payloads.set(type, [payload as JsonObject])
  }

  /** Takes the first event in the log that has all of these fields: the kernel adds some of its own. Each counts once. */
  take(type: string, fields: object): JsonObject | null {
    const payloads = this.#payloads.get(type) ?? []
    const matches = matcher(fields)
    const index = payloads.findIndex(matches)
    return index < 0 ? null : (payloads.splice(index, 1)[0] ?? null)
  }

  /** Every event that has these fields, for a caller that compares more than the payload. */
  candidates(type: string, fields: object): readonly JsonObject[] {
    return (this.#payloads.get(type) ?? []).filter(matcher(fields))
  }
}

const matcher = (fields: object): ((payload: JsonObject) => boolean) => {
  const expected = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [name, canonicalJson(value)])
  return (payload) => expected.every(([name, text]) => canonicalJson(payload[name]) === text)
}
