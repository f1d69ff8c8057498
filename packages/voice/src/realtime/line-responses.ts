// The responses that a line asks its provider for, one at a time. A response whose connection breaks goes on from another one.
import type { ModelCallOptions, ModelStream } from '@bridle/agents/model/model'
import type { VoiceFault } from '@bridle/kernel/ports/voice'
import { faultError, isFinalFault, LOST } from './faults.ts'
import type { LineAnswersPorts } from './line-answers.ts'
import type { ResponseEvent, ResponseRequest } from './provider.ts'
import type { ProviderConnection } from './provider-connection.ts'
import type { ProviderResponse } from './provider-response.ts'
import { GO_ON_REMARK, spokenRequest } from './response-request.ts'

/** Time for the provider to end a response that was cancelled, before the next one begins. */
export const RESPONSE_END_MS = 5_000
/** Connections that may break in the middle of one answer: each makes the provider read the conversation again, at the operator's expense. */
const LOSSES_MAX = 3
/** How often, and after which pause, a provider is called again in the middle of an answer: the audio that was sent plays meanwhile. */
const RECONNECT_TRIES = 3
const RECONNECT_PAUSE_MS = 500

interface LineResponsesPorts extends Pick<LineAnswersPorts, 'clock' | 'request' | 'link' | 'whenHeard'> {
  /** The next response of the run. `cancel` ends it at the provider. */
  readonly newResponse: (cancel: () => void) => ProviderResponse
  /** The log has nothing of a response that broke: the listener hears it from its beginning. */
  readonly onUnsaid: () => void
  /** No connection could be had to go on with a response. */
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

  /** The response under way says more. */
  get isSpeaking(): boolean {
    return this.#active?.response.isOver === false
  }

  async whenIdle(): Promise<void> {
    await this.#active?.response.whenEnded
  }

  async ask(options: ModelCallOptions): Promise<ModelStream> {
    await this.#lastResponseEnd()
    // Speech that has no words yet would be heard in this answer, and stand ahead of it for ever.
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

  /** The provider refuses a response. False if it is not the current one. */
  refuse(name: string | null, fault: VoiceFault): boolean {
    const active = this.#active
    if (!active || name === null || name !== active.name) return false
    active.response.fail(faultError(fault))
    return true
  }

  /** The connection is gone: the response continues on another one, after the audio that was sent. */
  handleLoss(): void {
    if (this.#active) void this.#goOn(this.#active)
  }

  /** A provider that never ends the response would keep the connection busy for ever. */
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
      // The loop asks again.
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

  /** A provider has one response at a time, and may need a moment to end one that was cancelled. */
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
