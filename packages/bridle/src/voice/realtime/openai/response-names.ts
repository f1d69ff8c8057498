// A line names a response when it asks for it. The provider assigns an id when it begins the response.

interface Answer {
  readonly name: string
  /** The event that asked for it. */
  readonly eventId: string
  id: string | null
}

export class ResponseNames {
  #answer: Answer | null = null
  /** Notices that the provider has not begun. */
  readonly #pending: string[] = []
  readonly #notices = new Map<string, string>()

  addAnswer(name: string, eventId: string): void {
    this.#answer = { name, eventId, id: null }
  }

  addNotice(name: string): void {
    this.#pending.push(name)
  }

  isAnswer(name: string): boolean {
    return this.#answer?.name === name
  }

  /** The provider has begun a response. Null if the line did not ask for it, or if it has no id. */
  begin(id: string, isNotice: boolean): string | null {
    if (id === '') return null
    if (isNotice) {
      const name = this.#pending.shift() ?? null
      if (name !== null) this.#notices.set(id, name)
      return name
    }
    if (!this.#answer || this.#answer.id !== null) return null
    this.#answer.id = id
    return this.#answer.name
  }

  nameOf(id: string): string | null {
    if (this.#answer !== null && id !== '' && this.#answer.id === id) return this.#answer.name
    return this.#notices.get(id) ?? null
  }

  /** The answer that was asked for with an event. */
  askedWith(eventId: string): string | null {
    return this.#answer?.eventId === eventId ? this.#answer.name : null
  }

  noticeId(name: string): string | null {
    for (const [id, each] of this.#notices) if (each === name) return id
    return null
  }

  end(id: string): void {
    this.#notices.delete(id)
  }
}
