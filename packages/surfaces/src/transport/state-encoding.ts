// Caches the encoded messages, so that the next client only costs what changed. Long conversations are encoded in pages.
import type { TakeTurns } from '@bridle/kernel/ports/log'
import type { HarnessMessage, HarnessState } from '@bridle/kernel/projections/harness-state'
import type { Session } from '@bridle/kernel/session/session'

/** Blocks the event loop for a few milliseconds. */
export const ENCODED_PAGE_CHARS = 64_000

const encoders = new WeakMap<Session, StateEncoder>()

export const stateEncoderOf = (session: Session): StateEncoder => {
  const encoder = encoders.get(session) ?? new StateEncoder()
  encoders.set(session, encoder)
  return encoder
}

export class StateEncoder {
  /** Messages are immutable, so a changed one is a new object. */
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

  /** Encodes a page per turn. Messages added later are left to `encode`. */
  async prepare({ messages }: HarnessState, takeTurns: TakeTurns): Promise<void> {
    const missing = messages.filter((message) => !this.#texts.has(message))
    for (let from = 0, isFirst = true; from < missing.length; isFirst = false) {
      const page = async () => {
        for (let chars = 0; from < missing.length && chars < ENCODED_PAGE_CHARS; from++)
          chars += this.#textOf(missing[from] as HarnessMessage).length
      }
      // A single page need not wait.
      await (isFirst ? page() : takeTurns(page))
    }
  }

  /** Called after the last client has left, because the texts are as large as the conversation. */
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
