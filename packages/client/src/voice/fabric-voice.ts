// A voice line to a session, in a browser or in Node. The line reconnects by itself and says so; the session has the conversation, so
// a broken connection costs the words that were being spoken and nothing else.
import type { VoiceClientMessage, VoiceServerMessage } from '@bridle/wire/voice/wire'
import type { FabricError } from '../http/error.ts'
import { isPermanent, withCredentials } from '../socket/endpoint.ts'
import { explainFailure } from '../socket/failure.ts'
import { parseTyped, randomId } from '../socket/messages.ts'
import { DEFAULT_RECONNECT_BACKOFF, PING_TEXT, ReconnectingSocket } from '../socket/reconnecting-socket.ts'
import { BinarySockets, bytesOf, fromBase64, toBase64 } from './audio-bytes.ts'
import { EventQueues } from './event-queues.ts'
import type { FabricVoiceEvent, FabricVoiceHandle, FabricVoiceOptions, FabricVoiceToolResult } from './options.ts'

/** Audio that waits for the first connection of a voice line: five seconds of pcm16, longer than a connection takes. */
export const VOICE_EARLY_BYTES_MAX = 240_000
/** Audio of one frame of a voice line: half a second of pcm16, an even number of bytes and below the frame limit of every server. */
export const VOICE_FRAME_BYTES = 24_000
/** Audio that the network has not taken yet: four seconds of pcm16. Later audio would come too late for a conversation. */
const VOICE_UNSENT_BYTES_MAX = 192_000

/** Connects at once; the events report the rest. */
export const connectFabricVoice = (options: FabricVoiceOptions): FabricVoiceHandle => new FabricVoice(options)

class FabricVoice implements FabricVoiceHandle {
  readonly line: string
  readonly #options: FabricVoiceOptions
  readonly #socket: ReconnectingSocket
  readonly #sockets: BinarySockets
  readonly #queues = new EventQueues<FabricVoiceEvent>()
  /** Messages and audio that wait for the first connection; null = the line was open. */
  #early: (VoiceClientMessage | Uint8Array<ArrayBuffer>)[] | null = []
  #earlyBytes = 0
  #isOpen = false
  /** The place in the log from which captions are sent again after a broken connection. */
  #cursor: string | null = null
  /** The item that binary frames belong to. */
  #item: string | null = null
  /** A manual turn whose audio was sent, and whose end was not. */
  #isSpeaking = false
  /** The connection broke during a manual turn: the rest of the turn is dropped. */
  #isTurnLost = false
  #isTooSlow = false
  #refusal: string | null = null

  constructor(options: FabricVoiceOptions) {
    this.#options = options
    this.line = options.line ?? randomId()
    const { reconnect = true, heartbeatMs = 15_000 } = options
    // A bad address throws here, as the platform's WebSocket constructor does.
    new URL(options.url)
    this.#sockets = new BinarySockets(options.WebSocket)
    this.#socket = new ReconnectingSocket({
      endpoint: () => withCredentials(lineUrl(options, this.line, this.#cursor), options),
      findRefusal: () => this.#findRefusal(),
      WebSocket: this.#sockets.WebSocket,
      backoff: reconnect === true ? DEFAULT_RECONNECT_BACKOFF : reconnect || null,
      heartbeatMs,
      ping: () => PING_TEXT,
      // Workers hand a refusal to a silent client only when their object sleeps.
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
    // A copy, because the caller may use its buffer again before the line is open.
    this.#early.push(bytes.slice())
    this.#earlyBytes += bytes.byteLength
    while (this.#earlyBytes > VOICE_EARLY_BYTES_MAX) this.#dropEarlyAudio()
  }

  endTurn(): void {
    // The end of a lost turn ends nothing on the new connection.
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

  /** Once for each time that the network falls behind, and not for each frame. */
  #reportTooSlow(): void {
    if (this.#isTooSlow) return
    this.#isTooSlow = true
    this.#fail(
      'network_too_slow',
      'The network is too slow for your voice. Parts of it are missing: say it again, or write.',
    )
  }

  /** A message that its sender must know to be unsent. */
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
        // An error before the line is open is the reason for the close that follows.
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

  /** Reports each failed try; only a permanent failure ends the line. */
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

/** The connection broke or the server restarts: a refusal before it says nothing about the next try. */
const TEMPORARY_CODES = new Set([1001, 1006, 1012, 1013])

const lineUrl = (options: FabricVoiceOptions, line: string, after: string | null): URL => {
  const url = new URL(options.url)
  const { tenantId: tenant, agent, voice, model, audioFormat, instructions, turns, encoding } = options
  const parameters = { tenant, agent, voice, model, audioFormat, instructions, turns, encoding, line }
  if (after !== null) url.searchParams.set('after', after)
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}
