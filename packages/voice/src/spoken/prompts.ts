// Turns speech into prompts of the session, in the order it was spoken.
import { present } from '@bridle/events/json'
import { isRefusal } from '@bridle/kernel/commands'
import type { VoiceClient, VoiceFault, VoiceRequest } from '@bridle/kernel/ports/voice'
import type { LinePorts } from '../engine.ts'
import { SpokenAnswers } from './spoken-answers.ts'

export class LinePrompts {
  readonly #request: VoiceRequest
  readonly #client: VoiceClient
  readonly #ports: LinePorts
  readonly #ask: (runId: string, words: readonly string[]) => void
  readonly #answers = new SpokenAnswers()
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    request: VoiceRequest,
    client: VoiceClient,
    ports: LinePorts,
    ask: (runId: string, words: readonly string[]) => void,
  ) {
    this.#request = request
    this.#client = client
    this.#ports = ports
    this.#ask = ask
  }

  /** Resolves to the logged prompt's run. Null: the line repeats its question or the client gets a fault. Waits for `after`. */
  submit(text: string, after: Promise<unknown> = Promise.resolve()): Promise<string | null> {
    const submitted = Promise.allSettled([this.#last, after]).then(() => this.#send(text))
    this.#last = submitted
    return submitted
  }

  async #send(text: string): Promise<string | null> {
    const { key, session, user, opening, owner } = this.#request
    const heard = this.#answers.hear(session.state, text)
    if ('asks' in heard) {
      this.#ask(heard.runId, heard.asks)
      return null
    }
    try {
      const answer = await this.#ports.send(key, {
        type: 'submit',
        ...heard,
        spoken: true,
        ...(user !== null && { actor: user }),
        ...present({ opening, owner }),
      })
      if (!isRefusal(answer)) return answer.runId
      this.#client.fault({ code: answer.refused, message: answer.message }, false)
    } catch {
      this.#client.fault(NOT_SAVED, false)
    }
    return null
  }
}

export const NOT_SAVED: VoiceFault = {
  code: 'not_saved',
  message: 'The session could not keep what was said. Say it again.',
}

export const TURN_LOST: VoiceFault = {
  code: 'turn_lost',
  message: 'The connection broke while somebody spoke. Say it again.',
}
