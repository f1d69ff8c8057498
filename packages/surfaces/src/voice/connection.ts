// Opens the line, moves audio both ways, and sends captions from the log.

import { LISTENER_BYTES_MAX } from '@bridle/events/limits'
import { eventId } from '@bridle/kernel/event'
import type { SessionService } from '@bridle/kernel/host/host'
import {
  AUDIO_BYTES_PER_MS,
  isVoiceFault,
  type VoiceClient,
  type VoiceFault,
  type VoiceLine,
  type VoiceLines,
} from '@bridle/kernel/ports/voice'
import type { Session } from '@bridle/kernel/session/session'
import type { Listener } from '@bridle/kernel/session/subscribers'
import { encodeBase64 } from '@bridle/kernel/text/base64'
import type { VoiceClientMessage, VoiceServerMessage } from '@bridle/wire/voice/wire'
import {
  type CloseReason,
  SessionSocket,
  type SessionSocketPorts,
  type SocketClient,
  type SocketSignal,
  type SocketWire,
} from '../http/streams/session-socket.ts'
import type { Socket } from '../http/streams/socket-route.ts'
import { AudioMeter } from './audio-meter.ts'
import { Captions } from './captions.ts'
import { audioFlood, CLOSE, closeAfter, noVoice, unavailable } from './closing.ts'
import {
  audioMs,
  checkAudio,
  decodeAudio,
  frameTooLarge,
  isVoiceMistake,
  parseVoiceMessage,
  pauseEndsTurn,
  type VoiceMistake,
} from './codec.ts'
import { recordToolResult } from './directive-feedback.ts'
import type { VoiceParameters } from './parameters.ts'

/** Five minutes of pcm16, because a model speaks faster than real time. */
const AUDIO_UNSENT_BYTES_MAX = 16 * 1024 * 1024

export interface VoiceConnection extends SocketClient {
  readonly viewer: string | null
  /** Line id. */
  readonly line: string
  readonly parameters: VoiceParameters
  /** Position after which captions are sent. Null if the session is new, or the cursor is not from its log. */
  readonly since: number | null
}

export interface VoiceSocketPorts extends SessionSocketPorts {
  readonly host: Pick<SessionService, 'send'>
  readonly voice?: VoiceLines
}

type VoiceInput = Exclude<VoiceClientMessage, SocketSignal>

const WIRE: SocketWire<VoiceInput> = {
  parse: (text) => parseVoiceMessage(text ?? ''),
  close: CLOSE,
}

export class VoiceSocket
  extends SessionSocket<VoiceConnection, VoiceSocketPorts, VoiceInput, VoiceServerMessage>
  implements Listener
{
  readonly audience: Captions
  readonly #session: Session
  readonly #meter: AudioMeter
  /** Item that the last binary frames belong to. */
  #announcedItem: string | null = null
  #line: VoiceLine | null = null
  /** Settles when the line is open or refused. */
  #opening: Promise<void> = opened

  /** A hibernated socket has already received `session_open`. */
  constructor(
    connection: VoiceConnection,
    session: Session,
    socket: Socket,
    ports: VoiceSocketPorts,
    from: 'new' | 'awake',
  ) {
    super(connection, socket, ports, WIRE)
    this.audience = new Captions(session)
    this.#session = session
    this.#meter = new AudioMeter(ports.clock.now())
    if (!this.guard(session)) return
    if (from === 'awake') session.subscribers.add(this, connection.since ?? session.state.head)
    this.#opening = this.#connect(from).catch(() => this.#refuse(unavailable, CLOSE.lost))
  }

  onBinary(bytes: Uint8Array): Promise<void> | void {
    if (this.isOpen) return this.#hear(checkAudio(bytes, this.connection.parameters.format))
  }

  onTooLarge(): void {
    this.#mistake(frameTooLarge)
  }

  /** Audio has its own allowance; a client beyond it counts as not reading at all. */
  override unsent(): number {
    return this.socket.buffered() > AUDIO_UNSENT_BYTES_MAX ? LISTENER_BYTES_MAX + 1 : 0
  }

  protected receive(message: VoiceInput): Promise<void> | void {
    switch (message.type) {
      case 'played':
        return this.#line?.played(message.item, message.ms, message.stopped)
      case 'audio':
        return this.#receiveAudio(message.audio, message.end ?? false)
      case 'text':
        return this.#command((line) => line.say(message.text))
      case 'cancel_response':
        return this.#command((line) => line.interrupt())
      case 'tool_result':
        return this.#command(() => this.#recordToolResult(message))
    }
  }

  protected leave(): void {
    this.#session.subscribers.remove(this)
    this.#line?.close()
    this.#line = null
  }

  #receiveAudio(base64: string | undefined, isEnd: boolean): Promise<void> | void {
    if (isEnd && this.connection.parameters.turns === 'silence') return this.#mistake(pauseEndsTurn)
    const audio = base64 === undefined ? null : decodeAudio(base64, this.connection.parameters.format)
    const waiting = audio === null ? undefined : this.#hear(audio)
    if (audio !== null && isVoiceMistake(audio)) return
    if (!isEnd) return waiting
    if (!this.#line) return this.#opening.then(() => this.#line?.endTurn())
    this.#line.endTurn()
    return waiting
  }

  /** Called for every frame, so it creates no promise unless the line has to wait. */
  #hear(audio: Uint8Array | VoiceMistake): Promise<void> | void {
    if (isVoiceMistake(audio)) return this.#mistake(audio)
    if (audio.length === 0) return
    const ms = audioMs(audio.length, this.connection.parameters.format)
    if (!this.#meter.take(ms, this.ports.clock.now())) return this.#refuse(audioFlood, CLOSE.flood)
    const waiting = this.#line ? this.#line.hear(audio) : this.#opening.then(() => this.#line?.hear(audio))
    return waiting?.catch(() => this.#fault(unavailable))
  }

  /** Not queued behind earlier commands: an interruption must not wait for the text that it interrupts. */
  async #command(run: (line: VoiceLine) => Promise<void>): Promise<void> {
    const refusal = this.countCommand()
    if (refusal !== null) return this.#fault({ code: 'rate_limited', message: refusal })
    if (!this.#line) await this.#opening
    if (!this.#line) return
    try {
      await run(this.#line)
    } catch {
      this.#fault(unavailable)
    }
  }

  async #recordToolResult(message: VoiceClientMessage & { type: 'tool_result' }): Promise<void> {
    const fault = await recordToolResult(message, this.#session, this.ports.host, this.connection.user)
    if (fault) this.#fault(fault)
  }

  async #connect(from: 'new' | 'awake'): Promise<void> {
    const { voice } = this.ports
    if (!voice) return this.#refuse(noVoice, CLOSE.refused)
    const { key, user, viewer, line, parameters } = this.connection
    const { encoding: _encoding, line: _line, ...wishes } = parameters
    const request = {
      ...{ key, session: this.#session, user, line, ...wishes },
      ...(viewer !== null && { owner: viewer }),
      ...(from === 'awake' && { isResumed: true as const }),
    }
    const opened = await voice.open(request, this.#client)
    if (isVoiceFault(opened)) return this.#refuse(opened, closeAfter(opened))
    // The client left or was replaced in the meantime.
    if (!this.isOpen) return opened.close()
    this.#line = opened
    if (from === 'new') this.#welcome(opened)
  }

  #welcome(line: VoiceLine): void {
    const { key, parameters, since } = this.connection
    const { format, turns } = parameters
    const { state, incarnations, subscribers } = this.#session
    const from = since ?? state.head
    this.sendMessage({
      type: 'session_open',
      sessionId: key.id,
      agent: key.agent,
      line: this.connection.line,
      mode: line.kind,
      model: line.model,
      voice: line.voice,
      audioFormat: format,
      sampleRate: (AUDIO_BYTES_PER_MS[format] * 1_000) / (format === 'pcm16' ? 2 : 1),
      turns,
      cursor: eventId(from, incarnations.own),
    })
    subscribers.add(this, from)
  }

  readonly #client: VoiceClient = {
    audio: (item, bytes) => this.#sendAudio(item, bytes),
    speech: (state) => this.sendMessage({ type: 'speech', state }),
    interrupted: (item) => this.sendMessage({ type: 'audio_stop', item }),
    fault: (fault, isFinal) => {
      if (isFinal) this.#refuse(fault, closeAfter(fault))
      else this.#fault(fault)
    },
  }

  #sendAudio(item: string, bytes: Uint8Array): void {
    if (!this.isOpen || bytes.length === 0) return
    if (this.socket.buffered() > AUDIO_UNSENT_BYTES_MAX) return this.close('slow')
    if (this.connection.parameters.encoding === 'json' || !this.socket.sendBinary)
      return this.sendMessage({ type: 'audio_delta', item, audio: encodeBase64(bytes) })
    if (item !== this.#announcedItem) this.sendMessage({ type: 'audio_delta', item })
    this.#announcedItem = item
    this.socket.sendBinary(bytes)
  }

  #mistake({ code, problem }: VoiceMistake): void {
    this.#fault({ code, message: problem })
  }

  #fault({ code, message }: VoiceFault): void {
    this.sendMessage({ type: 'error', code, message })
  }

  #refuse(fault: VoiceFault, frame: CloseReason): void {
    this.#fault(fault)
    this.end(frame)
  }
}

const opened = Promise.resolve()
