// Requests responses from the provider one at a time. A response resumes on a new connection if its own breaks.
import type { ModelCallOptions, ModelStream } from '@bridle/agents/model/model'
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import { faultError, isFinalFault, LOST } from './faults.ts'
import type { LineAnswersPorts } from './line-answers.ts'
import type { ResponseEvent, ResponseRequest } from './provider.ts'
import type { ProviderConnection } from './provider-connection.ts'
import type { ProviderResponse } from './provider-response.ts'
import { GO_ON_REMARK, spokenRequest } from './response-request.ts'

/** Time for a cancelled response to end before the next starts. */
export const RESPONSE_END_MS = 5_000
/** Each reconnect makes the provider process the conversation again, at the operator's expense. */
const LOSSES_MAX = 3
/** Buffered audio keeps playing during these retries. */
const RECONNECT_TRIES = 3
const RECONNECT_PAUSE_MS = 500

interface LineResponsesPorts extends Pick<LineAnswersPorts, 'clock' | 'request' | 'link' | 'whenHeard'> {
  /** `cancel` ends the response at the provider. */
  readonly newResponse: (cancel: () => void) => ProviderResponse
  /** Nothing of a broken response was logged, so it is repeated from the start. */
  readonly onUnsaid: () => void
  readonly onGivenUp: (fault: VoiceFault) => Promise<void>
}

interface ActiveResponse {
  readonly response: ProviderResponse
  readonly options: ModelCallOptions
  /** Name of the response in events. Null: the connection broke, and the rest has not been requested. */
  name: string | null
  losses: number
}

export class LineResponses {
  readonly #ports: LineResponsesPorts
  #active: ActiveResponse | null = null

  constructor(ports: LineResponsesPorts) {
    this.#ports = ports
  }

  get isBusy(): boolean {
    return this.#active !== null
  }

  get isSpeaking(): boolean {
    return this.#active?.response.isOver === false
  }

  async whenIdle(): Promise<void> {
    await this.#active?.response.whenEnded
  }

  async ask(options: ModelCallOptions): Promise<ModelStream> {
    await this.#lastResponseEnd()
    // Untranscribed speech would count as part of this answer and stay ahead of it forever.
    await this.#ports.whenHeard()
    const connection = await this.#ports.link.connect()
    if ('code' in connection) throw faultError(connection)
    return { stream: this.#begin(connection, options).stream }
  }

  silence(): void {
    if (!this.#active) return
    this.#active.response.silence()
    this.#cancel(this.#active)
  }

  handle(event: ResponseEvent): void {
    const active = this.#active
    if (active && event.response === active.name) active.response.handle(event)
  }

  refuse(name: string | null, fault: VoiceFault): boolean {
    const active = this.#active
    if (!active || name === null || name !== active.name) return false
    active.response.fail(faultError(fault))
    return true
  }

  /** Resumes the response on a new connection, after the audio already sent. */
  handleLoss(): void {
    if (this.#active) void this.#goOn(this.#active)
  }

  /** A response that never ends would block the connection. */
  #cancel({ response, name }: ActiveResponse): void {
    const { link, clock } = this.#ports
    if (name !== null) link.current?.api.cancel(name)
    const cancelTimer = clock.after(RESPONSE_END_MS, () => response.abandon())
    void response.whenEnded.then(cancelTimer)
  }

  async #goOn(active: ActiveResponse): Promise<void> {
    const { response, options } = active
    const said = response.breakOff()
    if (said === null) return
    if (said === '') {
      this.#ports.onUnsaid()
      // The loop retries.
      return response.fail(faultError(LOST))
    }
    active.name = null
    active.losses += 1
    const connection = active.losses > LOSSES_MAX ? LOST : await this.#reconnect(response)
    if (response.isOver) return response.abandon()
    if ('code' in connection) {
      response.abandon()
      return this.#ports.onGivenUp(connection)
    }
    const request = this.#requestOf(options)
    active.name = request.response
    connection.api.respond({ ...request, said: { text: said, remark: GO_ON_REMARK } })
  }

  #requestOf(options: ModelCallOptions): ResponseRequest {
    return spokenRequest(options, this.#ports.request.instructions)
  }

  async #reconnect(response: ProviderResponse): Promise<ProviderConnection | VoiceFault> {
    const { link, clock } = this.#ports
    for (let tries = 1; ; tries++) {
      const opened = await link.connect()
      if (!('code' in opened) || isFinalFault(opened) || tries === RECONNECT_TRIES || response.isOver) return opened
      await new Promise<void>((resolve) => clock.after(RECONNECT_PAUSE_MS, resolve))
    }
  }

  /** Providers allow one response at a time and may need a moment to end a cancelled one. */
  async #lastResponseEnd(): Promise<void> {
    const active = this.#active
    if (!active) return
    let cancelTimer = () => {}
    const late = new Promise<void>((resolve) => {
      cancelTimer = this.#ports.clock.after(RESPONSE_END_MS, resolve)
    })
    await Promise.race([active.response.whenEnded, late]).finally(cancelTimer)
  }

  #begin(connection: ProviderConnection, options: ModelCallOptions): ProviderResponse {
    const { abortSignal } = options
    const cancel = () => {
      if (this.#active?.response === response) this.#cancel(this.#active)
    }
    const response = this.#ports.newResponse(cancel)
    abortSignal?.addEventListener('abort', cancel, { once: true })
    const request = this.#requestOf(options)
    const active = { response, options, name: request.response, losses: 0 }
    this.#active = active
    connection.api.respond(request)
    response.whenEnded.then(() => {
      abortSignal?.removeEventListener('abort', cancel)
      if (this.#active === active) this.#active = null
    })
    return response
  }
}
