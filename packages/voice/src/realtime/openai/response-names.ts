// A line names a response when it asks for it. The provider assigns an id when it begins the response.

interface AskedResponse {
  readonly name: string
  readonly eventId: string
  readonly isNotice: boolean
  /** Null: the provider has not begun it. */
  id: string | null
}

export class ResponseNames {
  #asked: AskedResponse[] = []

  /** An answer replaces the one before it, whose end may never have come. */
  add(name: string, eventId: string, isNotice: boolean): void {
    this.#asked = this.#asked.filter((each) => isNotice || each.isNotice)
    this.#asked.push({ name, eventId, isNotice, id: null })
  }

  get(name: string): AskedResponse | undefined {
    return this.#asked.find((each) => each.name === name)
  }

  /** The provider has begun a response. Null if the line did not ask for it, or if it has no id. */
  begin(id: string, isNotice: boolean): string | null {
    const asked = this.#asked.find((each) => each.isNotice === isNotice && each.id === null)
    if (!asked || id === '') return null
    asked.id = id
    return asked.name
  }

  nameOf(id: string): string | null {
    return this.#asked.find((each) => each.id !== null && each.id === id)?.name ?? null
  }

  /** The answer that was asked for with an event. */
  askedWith(eventId: string): string | null {
    return this.#asked.find((each) => each.eventId === eventId && !each.isNotice)?.name ?? null
  }

  end(name: string): void {
    this.#asked = this.#asked.filter((each) => each.name !== name)
  }
}
