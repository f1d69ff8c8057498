// A voice line, in browsers and Node. Reconnects automatically; since the session has the conversation, a disconnect
// loses only the words being spoken.
import type { VoiceClientMessage, VoiceServerMessage } from '@bridle/wire/voice/wire'
import type { FabricError } from '../http/error.ts'
import { isPermanent, withCredentials } from '../socket/endpoint.ts'
import { explainFailure } from '../socket/failure.ts'
import { parseTyped, randomId } from '../socket/messages.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'
import { BinarySockets, bytesOf, fromBase64, toBase64 } from './audio-bytes.ts'
import { EventQueues } from './event-queues.ts'
import type { FabricVoiceEvent, FabricVoiceHandle, FabricVoiceOptions, FabricVoiceToolResult } from './options.ts'

/** Buffered before the first connection: five seconds of pcm16, longer than connecting takes. */
export const VOICE_EARLY_BYTES_MAX = 240_000
/** Per frame: half a second of pcm16, even, and below every server's frame limit. */
export const VOICE_FRAME_BYTES = 24_000
/** Unsent: four seconds of pcm16. Later audio would be useless in a conversation. */
const VOICE_UNSENT_BYTES_MAX = 192_000

/** Connects immediately. The events report everything else. */
export const connectFabricVoice = (options: FabricVoiceOptions): FabricVoiceHandle => new FabricVoice(options)

class FabricVoice implements FabricVoiceHandle {
  readonly line: string
  readonly #options: FabricVoiceOptions
  readonly #socket: ReconnectingSocket
  readonly #sockets: BinarySockets
  readonly #queues = new EventQueues<FabricVoiceEvent>()
  /** Messages and audio queued for the first connection. Null once the line was open. */
  #early: (VoiceClientMessage | Uint8Array<ArrayBuffer>)[] | null = []
  #earlyBytes = 0
  #isOpen = false
  /** The position to resend captions from after a reconnect. */
  #cursor: string | null = null
  /** The item of incoming binary frames. */
  #item: string | null = null
  /** A manual turn has started and not ended. */
  #isSpeaking = false
  /** The connection broke during a manual turn, so drop the rest of it. */
  #isTurnLost = false
  #isTooSlow = false
  #refusal: string | null = null

  constructor(options: FabricVoiceOptions) {
    this.#options = options
    this.line = options.line ?? randomId()
    const { reconnect = true, heartbeatMs = 15_000 } = options
    // Throws for an invalid URL, as the WebSocket constructor does.
    new URL(options.url)
    this.#sockets = new BinarySockets(options.WebSocket)
    this.#socket = new ReconnectingSocket({
      endpoint: () => withCredentials(lineUrl(options, this.line, this.#cursor), options),
      findRefusal: () => this.#findRefusal(),
      WebSocket: this.#sockets.WebSocket,
      backoff: reconnect === true ? DEFAULT_RECONNECT_BACKOFF : reconnect || null,
      heartbeatMs,
      ping: () => PING_TEXT,
      // Workers deliver a refusal to a silent client only when their object hibernates.
      onOpen: () => this.#transmit(PING_TEXT),
      onMessage: (data) => this.#receive(data),
      onLost: (code) => this.#handleLost(code),
      onWait: (waitMs, tries) => this.#emit({ type: 'reconnecting', waitMs, tries }),
      onError: (error) => this.#fail(error.type, error.message),
      onEnd: (code, reason) => this.#handleEnd(code, reason),
    })
  }

  get state(): FabricVoiceHandle['state'] {
    if (this.#socket.state === 'closed') return 'closed'
    return this.#isOpen ? 'open' : 'connecting'
  }

  sendAudio(audio: ArrayBuffer | ArrayBufferView): void {
    if (this.#isTurnLost || this.state === 'closed') return
    const bytes = bytesOf(audio)
    if (this.#isOpen) return this.#sendBytes(bytes)
    if (this.#early === null) return
    // Copy, because the caller may reuse its buffer.
    this.#early.push(bytes.slice())
    this.#earlyBytes += bytes.byteLength
    while (this.#earlyBytes > VOICE_EARLY_BYTES_MAX) this.#dropEarlyAudio()
  }

  endTurn(): void {
    // A lost turn does not exist on the new connection.
    if (!this.#isTurnLost) this.#send({ type: 'audio', end: true })
    this.#isTurnLost = this.#isSpeaking = false
  }

  sendText(text: string): void {
    this.#command({ type: 'text', text })
  }

  submitToolResult({ id, output }: FabricVoiceToolResult): void {
    this.#command({ type: 'tool_result', id, output })
  }

  cancelResponse(): void {
    this.#send({ type: 'cancel_response' })
  }

  cancel(): void {
    this.cancelResponse()
  }

  played(item: string, ms: number, isStopped = false): void {
    const stopped = isStopped ? { stopped: true as const } : {}
    if (this.#isOpen) this.#send({ type: 'played', item, ms: Math.round(ms), ...stopped })
  }

  events(): AsyncGenerator<FabricVoiceEvent, void, undefined> {
    return this.#queues.read()
  }

  close(): void {
    this.#socket.close()
  }

  #sendBytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.#isSpeaking = true
    if (this.#sockets.unsentBytes > VOICE_UNSENT_BYTES_MAX) return this.#reportTooSlow()
    this.#isTooSlow = false
    for (let at = 0; at < bytes.byteLength; at += VOICE_FRAME_BYTES) {
      const frame = bytes.subarray(at, at + VOICE_FRAME_BYTES)
      if (this.#options.encoding === 'json') this.#send({ type: 'audio', audio: toBase64(frame) })
      else this.#transmit(frame)
    }
  }

  /** Once per congestion, not per frame. */
  #reportTooSlow(): void {
    if (this.#isTooSlow) return
    this.#isTooSlow = true
    this.#fail(
      'network_too_slow',
      'The network is too slow for your voice. Parts of it are missing: say it again, or write.',
    )
  }

  /** Fails if it cannot be sent, so that the sender knows. */
  #command(message: VoiceClientMessage): void {
    if (this.#isOpen || this.#early !== null) this.#send(message)
    else
      this.#fail(
        'not_connected',
        `Not connected: the ${message.type} was not sent. Send it again when the line is open.`,
      )
  }

  #send(message: VoiceClientMessage): void {
    if (this.#isOpen) this.#transmit(JSON.stringify(message))
    else if (this.state !== 'closed') this.#early?.push(message)
  }

  #transmit(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#sockets.isOpen) this.#socket.send(message)
  }

  #dropEarlyAudio(): void {
    const at = this.#early?.findIndex((each) => each instanceof Uint8Array) ?? -1
    const [dropped] = this.#early?.splice(at, 1) ?? []
    if (dropped instanceof Uint8Array) this.#earlyBytes -= dropped.byteLength
  }

  #receive(data: unknown): void {
    if (data instanceof ArrayBuffer) return this.#receiveAudio(new Uint8Array(data))
    const message = parseTyped<VoiceServerMessage>(data)
    if (message) this.#handle(message)
    else this.#fail('bad_message', 'The server sent something that is not a message.')
  }

  #handle(message: VoiceServerMessage): void {
    switch (message.type) {
      case 'pong':
        return
      case 'session_open':
        return this.#handleOpen(message)
      case 'audio_delta': {
        this.#item = message.item
        if (message.audio === undefined) return
        const audio = fromBase64(message.audio)
        if (audio) this.#receiveAudio(audio)
        else this.#fail('bad_message', 'The server sent audio that is no base64.')
        return
      }
      case 'response_done':
        this.#cursor = message.cursor
        break
      case 'error':
        // An error before the line opens is the reason for the close that follows.
        if (!this.#isOpen) this.#refusal = message.message
    }
    this.#emit(message)
  }

  #receiveAudio(audio: Uint8Array<ArrayBuffer>): void {
    if (this.#item !== null) this.#emit({ type: 'audio_delta', item: this.#item, audio })
    else this.#fail('bad_message', 'The server sent audio before it named its item.')
  }

  #handleOpen(message: Extract<VoiceServerMessage, { type: 'session_open' }>): void {
    this.#socket.markHealthy()
    this.#isOpen = true
    this.#cursor ??= message.cursor
    const early = this.#early
    this.#early = null
    this.#emit({ ...message, isReconnect: early === null })
    for (const each of early ?? []) {
      if (each instanceof Uint8Array) this.#sendBytes(each)
      else {
        this.#send(each)
        if (each.type === 'audio') this.#isSpeaking = false
      }
    }
  }

  #handleLost(code: number): void {
    this.#isOpen = false
    this.#item = null
    if (this.#isSpeaking && this.#options.turns === 'manual' && this.#socket.state !== 'closed') {
      this.#isTurnLost = true
      this.#fail('turn_lost', 'The connection broke while you spoke. Say it again when the line is open.')
    }
    this.#isSpeaking = false
    if (this.#refusal !== null && !TEMPORARY_CODES.has(code)) this.#socket.close()
    else this.#refusal = null
  }

  async #findRefusal(): Promise<FabricError | null> {
    const failure = await explainFailure(this.#options)
    if (isPermanent(failure)) return failure
    if (this.state !== 'closed') this.#fail(failure.type, failure.message)
    return null
  }

  #handleEnd(code: number, reason: string): void {
    this.#isOpen = false
    this.#early = null
    this.#emit(
      this.#refusal === null ? { type: 'closed', code, reason } : { type: 'closed', code: 1008, reason: this.#refusal },
    )
    this.#queues.close()
  }

  #fail(code: string, message: string): void {
    this.#emit({ type: 'error', code, message })
  }

  #emit(event: FabricVoiceEvent): void {
    this.#queues.push(event)
    this.#options.onEvent?.(event)
  }
}

/** Disconnects and restarts: an earlier refusal does not apply to the next attempt. */
const TEMPORARY_CODES = new Set([1001, 1006, 1012, 1013])

const lineUrl = (options: FabricVoiceOptions, line: string, after: string | null): URL => {
  const url = new URL(options.url)
  const { tenantId: tenant, agent, voice, model, audioFormat, instructions, turns, encoding } = options
  const parameters = { tenant, agent, voice, model, audioFormat, instructions, turns, encoding, line }
  if (after !== null) url.searchParams.set('after', after)
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}
