// Maps the names that a line gives its responses to the provider's ids.

interface AskedResponse {
  readonly name: string
  readonly eventId: string
  readonly isNotice: boolean
  /** Null until the provider starts it. */
  id: string | null
}

export class ResponseNames {
  #asked: AskedResponse[] = []

  /** Replaces the previous answer, whose end may never have arrived. */
  add(name: string, eventId: string, isNotice: boolean): void {
    this.#asked = this.#asked.filter((each) => isNotice || each.isNotice)
    this.#asked.push({ name, eventId, isNotice, id: null })
  }

  get(name: string): AskedResponse | undefined {
    return this.#asked.find((each) => each.name === name)
  }

  /** Null if the line did not request it, or it has no id. */
  begin(id: string, isNotice: boolean): string | null {
    const asked = this.#asked.find((each) => each.isNotice === isNotice && each.id === null)
    if (!asked || id === '') return null
    asked.id = id
    return asked.name
  }

  nameOf(id: string): string | null {
    return this.#asked.find((each) => each.id !== null && each.id === id)?.name ?? null
  }

  askedWith(eventId: string): string | null {
    return this.#asked.find((each) => each.eventId === eventId && !each.isNotice)?.name ?? null
  }

  end(name: string): void {
    this.#asked = this.#asked.filter((each) => each.name !== name)
  }
}
