// The responses that a line asks its provider for, one at a time. A response whose connection breaks goes on from another one.
import type { ModelCallOptions, ModelStream } from '../../agents/model/model.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import type { VoiceFault, VoiceRequest } from '../../kernel/ports/voice.ts'
import { LOSSES_MAX, RECONNECT_PAUSE_MS, RECONNECT_TRIES, RESPONSE_END_MS } from '../limits.ts'
import { eventFault, faultError, isFinalFault, lostFault } from './faults.ts'
import { assistantItem, type ConversationItem, realtimeRequest } from './openai/items.ts'
import { turnSettings } from './openai/settings.ts'
import type { RealtimeConnection } from './provider-connection.ts'
import { type RealtimeEvent, responseIdOf, textOf } from './provider-json.ts'
import type { LineConnection } from './provider-link.ts'
import type { ProviderResponse } from './provider-response.ts'
import { GO_ON_REMARK, responseRequest } from './response-request.ts'

export interface LineResponsesPorts {
  readonly clock: Clock
  readonly request: Pick<VoiceRequest, 'instructions'>
  readonly connection: LineConnection
  readonly modelId: string
  /** Resolves when the words of everything that was said are known. */
  readonly whenHeard: () => Promise<void>
  /** Makes the next response of the run. `cancel` ends it at the provider. */
  readonly newResponse: (connection: RealtimeConnection, cancel: () => void) => ProviderResponse
  /** The log has nothing of a response that broke: the listener hears it from its beginning. */
  readonly onUnsaid: () => void
  /** No connection could be had to go on with a response. */
  readonly onGivenUp: (fault: VoiceFault) => Promise<void>
}

/** A response under way, and the names by which the provider's events mention it. */
interface ActiveResponse {
  readonly response: ProviderResponse
  readonly options: ModelCallOptions
  /** The event that asked for it. */
  requestId: string
  id: string | null
  /** Connections that broke in the middle of it. */
  losses: number
}

export class LineResponses {
  readonly #ports: LineResponsesPorts
  #active: ActiveResponse | null = null

  constructor(ports: LineResponsesPorts) {
    this.#ports = ports
  }

  /** A response is under way. */
  get isBusy(): boolean {
    return this.#active !== null
  }

  /** The response under way says more. */
  get isSpeaking(): boolean {
    return this.#active?.response.isOver === false
  }

  /** Resolves when the response under way has ended. */
  async whenIdle(): Promise<void> {
    await this.#active?.response.whenEnded
  }

  async ask(options: ModelCallOptions): Promise<ModelStream> {
    await this.#lastResponseEnd()
    // Speech that has no words yet would be heard in this answer, and stand ahead of it for ever.
    await this.#ports.whenHeard()
    const connection = await this.#ports.connection.connect()
    if ('code' in connection) throw faultError(connection)
    this.#bringUpToDate(connection, options)
    return { stream: this.#begin(connection, options).stream }
  }

  /** The listener hears no more of the response under way. */
  silence(): void {
    if (!this.#active) return
    this.#active.response.silence()
    this.#cancel(this.#active)
  }

  handle(event: RealtimeEvent): void {
    const id = responseIdOf(event)
    const active = this.#active
    if (!active) return
    // A response without an id is none that later events could be about.
    if (event.type === 'response.created') active.id ??= id || null
    else if (id === active.id) active.response.handle(event)
  }

  /** True: the error is that of the response under way. */
  handleError(error: JsonObject): boolean {
    const active = this.#active
    if (!active || textOf(error.event_id) !== active.requestId) return false
    active.response.fail(faultError(eventFault(error, this.#ports.modelId)))
    return true
  }

  /** The connection is gone. The response goes on from another one, behind the audio that was sent. */
  handleLoss(): void {
    if (this.#active) void this.#goOn(this.#active)
  }

  /** A provider that never ends the response would keep the connection busy for ever. */
  #cancel({ response }: ActiveResponse): void {
    const { connection, clock } = this.#ports
    connection.current?.send({ type: 'response.cancel' })
    const cancelTimer = clock.after(RESPONSE_END_MS, () => response.abandon())
    void response.whenEnded.then(cancelTimer)
  }

  #bringUpToDate(
    connection: RealtimeConnection,
    { prompt, tools = [] }: ModelCallOptions,
    said: readonly ConversationItem[] = [],
  ): void {
    const { instructions, items } = realtimeRequest(prompt)
    connection.configure(turnSettings(instructions, this.#ports.request.instructions, tools))
    for (const event of connection.conversation.update([...items, ...said])) connection.send(event)
  }

  async #goOn(active: ActiveResponse): Promise<void> {
    const { response, options } = active
    const said = response.breakOff()
    if (said === null) return
    if (said === '') {
      this.#ports.onUnsaid()
      // The loop asks again.
      return response.fail(faultError(lostFault()))
    }
    active.id = null
    active.losses += 1
    const connection = active.losses > LOSSES_MAX ? lostFault() : await this.#reconnect(response)
    if (response.isOver) return response.abandon()
    if ('code' in connection) {
      response.abandon()
      return this.#ports.onGivenUp(connection)
    }
    this.#bringUpToDate(connection, options, [assistantItem(said)])
    for (const event of connection.conversation.remark(GO_ON_REMARK)) connection.send(event)
    response.continueIn(connection.conversation)
    active.requestId = connection.send(responseRequest(options))
  }

  async #reconnect(response: ProviderResponse): Promise<RealtimeConnection | VoiceFault> {
    const { connection, clock } = this.#ports
    for (let tries = 1; ; tries++) {
      const opened = await connection.connect()
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

  #begin(connection: RealtimeConnection, options: ModelCallOptions): ProviderResponse {
    const { abortSignal } = options
    const cancel = () => {
      if (this.#active?.response === response) this.#cancel(this.#active)
    }
    const response = this.#ports.newResponse(connection, cancel)
    abortSignal?.addEventListener('abort', cancel, { once: true })
    const active = { response, options, requestId: connection.send(responseRequest(options)), id: null, losses: 0 }
    this.#active = active
    response.whenEnded.then(() => {
      abortSignal?.removeEventListener('abort', cancel)
      if (this.#active === active) this.#active = null
    })
    return response
  }
}
