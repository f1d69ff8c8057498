// A state as a message. The text of each message of the conversation is kept, so that the next client, who comes a few events later,
// costs the messages that changed. A long conversation is encoded page by page before its first client needs it.
import type { TakeTurns } from '@bridle/kernel/ports/log'
import type { HarnessMessage, HarnessState } from '@bridle/kernel/projections/harness-state'
import type { Session } from '@bridle/kernel/session/session'

/** Characters of a page of an encoded state. A page blocks the event loop for a few milliseconds. */
export const ENCODED_PAGE_CHARS = 64_000

const encoders = new WeakMap<Session, StateEncoder>()

/** The encoder that all clients of a session share. */
export const stateEncoderOf = (session: Session): StateEncoder => {
  const encoder = encoders.get(session) ?? new StateEncoder()
  encoders.set(session, encoder)
  return encoder
}

export class StateEncoder {
  /** Messages never change in place: a changed one is another object. */
  #texts = new WeakMap<HarnessMessage, string>()

  encode(state: HarnessState, seq: number, incarnation: number): string {
    const fields = Object.entries(state).flatMap(([name, value]) => {
      if (value === undefined) return []
      const text = name === 'messages' ? `[${state.messages.map(this.#textOf).join(',')}]` : JSON.stringify(value)
      return [`${JSON.stringify(name)}:${text}`]
    })
    const which = incarnation === 1 ? '' : `,"incarnation":${incarnation}`
    return `{"type":"state","state":{${fields.join(',')}},"seq":${seq}${which}}`
  }

  /** Encodes the messages for `encode`, a page per turn. `encode` handles messages that are added later. */
  async prepare({ messages }: HarnessState, takeTurns: TakeTurns): Promise<void> {
    const missing = messages.filter((message) => !this.#texts.has(message))
    for (let from = 0, isFirst = true; from < missing.length; isFirst = false) {
      const page = async () => {
        for (let chars = 0; from < missing.length && chars < ENCODED_PAGE_CHARS; from++)
          chars += this.#textOf(missing[from] as HarnessMessage).length
      }
      // A conversation of one page does not wait.
      await (isFirst ? page() : takeTurns(page))
    }
  }

  /** Called when the last client has left: the texts are as large as the conversation. */
  forget(): void {
    this.#texts = new WeakMap()
  }

  readonly #textOf = (message: HarnessMessage): string => {
    const known = this.#texts.get(message)
    if (known !== undefined) return known
    const text = JSON.stringify(message)
    this.#texts.set(message, text)
    return text
  }
}
