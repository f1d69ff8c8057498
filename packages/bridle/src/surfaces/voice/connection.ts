// The state of one voice socket: it opens the line, moves audio both ways, and sends captions from the log. It has no platform socket
// and no timer.
import { eventId, type Key } from '../../kernel/event.ts'
import type { SessionService } from '../../kernel/host/host.ts'
import { LISTENER_BYTES_MAX } from '../../kernel/limits.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import {
  AUDIO_BYTES_PER_MS,
  isVoiceFault,
  type VoiceClient,
  type VoiceFault,
  type VoiceLine,
  type VoiceLines,
} from '../../kernel/ports/voice.ts'
import type { Session } from '../../kernel/session/session.ts'
import type { Listener } from '../../kernel/session/subscribers.ts'
import { encodeBase64 } from '../../kernel/text/base64.ts'
import type { RateLimiter } from '../http/access/rate-limit.ts'
import { guardOwnership } from '../http/access/users.ts'
import type { Socket, SocketReceiver } from '../http/streams/socket-route.ts'
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
import { AUDIO_UNSENT_BYTES_MAX } from './limits.ts'
import type { VoiceParameters } from './parameters.ts'
import type { VoiceClientMessage, VoiceServerMessage } from './wire.ts'

/** A plain value: all that a socket needs to hibernate and wake. */
export interface VoiceConnection {
  readonly key: Key
  /** The user that the credential names, if it names one: the actor of the prompts. */
  readonly user: string | null
  /** The same user, in the form in which a session stores its owner. */
  readonly viewer: string | null
  /** The name under which the rate limiter counts this client. */
  readonly who: string
  /** The id of the line. */
  readonly line: string
  readonly parameters: VoiceParameters
  /** Captions of events after this are sent. Null = the session is new, or the cursor was not of its log. */
  readonly since: number | null
}

/** The same object for all sockets of a server. */
export interface VoiceSocketPorts {
  readonly host: Pick<SessionService, 'send'>
  readonly clock: Clock
  readonly voice?: VoiceLines
  readonly limiter?: RateLimiter | null
}

export class VoiceSocket implements SocketReceiver, Listener {
  readonly audience: Captions
  readonly #connection: VoiceConnection
  readonly #session: Session
  readonly #socket: Socket
  readonly #ports: VoiceSocketPorts
  readonly #meter: AudioMeter
  #open = true
  /** The item of the binary frames that were sent last. */
  #announcedItem: string | null = null
  #line: VoiceLine | null = null
  /** Resolves when the line is open or refused. */
  #opening: Promise<void> = opened
  #stopGuard = () => {}

  /** A hibernated socket has its `session_open` already. */
  constructor(
    connection: VoiceConnection,
    session: Session,
    socket: Socket,
    ports: VoiceSocketPorts,
    from: 'new' | 'awake',
  ) {
    this.audience = new Captions(session)
    this.#connection = connection
    this.#session = session
    this.#socket = socket
    this.#ports = ports
    this.#meter = new AudioMeter(ports.clock.now())
    this.#stopGuard = guardOwnership(connection.viewer, session, () => this.#end('removed'))
    if (!this.#open) return
    if (from === 'awake') session.subscribers.add(this, connection.since ?? session.state.head)
    this.#opening = this.#connect(from).catch(() => this.#refuse(unavailable, 'lost'))
  }

  onBinary(bytes: Uint8Array): Promise<void> | void {
    if (this.#open) return this.#hear(checkAudio(bytes, this.#connection.parameters.format))
  }

  onMessage(text: string | null): Promise<void> | void {
    if (!this.#open) return
    const message = parseVoiceMessage(text ?? '')
    return isVoiceMistake(message) ? this.#mistake(message) : this.#receive(message)
  }

  onAlive(): void {}

  onSlow(): void {
    this.#end('slow')
  }

  onTooLarge(): void {
    this.#mistake(frameTooLarge)
  }

  onClosed(): void {
    if (!this.#open) return
    this.#open = false
    this.#stopGuard()
    this.#session.subscribers.remove(this)
    this.#line?.close()
    this.#line = null
  }

  hibernate(): VoiceConnection {
    return this.#connection
  }

  send(text: string, seq: number): void {
    this.#socket.send(text.split('\n'), seq)
  }

  /** Audio on its way has an allowance of its own: with it, a client is behind when it does not take it at all. */
  unsent(): number {
    return this.#socket.buffered() > AUDIO_UNSENT_BYTES_MAX ? LISTENER_BYTES_MAX + 1 : 0
  }

  ready(): Promise<void> {
    return this.#socket.drained()
  }

  close(why: 'slow' | 'moved' | 'removed'): void {
    this.#end(why)
  }

  #receive(message: VoiceClientMessage): Promise<void> | void {
    switch (message.type) {
      case 'ping':
        return this.#send({ type: 'pong', ts: message.ts ?? this.#ports.clock.now() })
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

  #receiveAudio(base64: string | undefined, isEnd: boolean): Promise<void> | void {
    if (isEnd && this.#connection.parameters.turns === 'silence') return this.#mistake(pauseEndsTurn)
    const audio = base64 === undefined ? null : decodeAudio(base64, this.#connection.parameters.format)
    const waiting = audio === null ? undefined : this.#hear(audio)
    if (audio !== null && isVoiceMistake(audio)) return
    if (!isEnd) return waiting
    if (!this.#line) return this.#opening.then(() => this.#line?.endTurn())
    this.#line.endTurn()
    return waiting
  }

  /** The happy path of every frame: no promise unless the line asks to wait. */
  #hear(audio: Uint8Array | VoiceMistake): Promise<void> | void {
    if (isVoiceMistake(audio)) return this.#mistake(audio)
    if (audio.length === 0) return
    const ms = audioMs(audio.length, this.#connection.parameters.format)
    if (!this.#meter.take(ms, this.#ports.clock.now())) return this.#refuse(audioFlood, 'flood')
    const waiting = this.#line ? this.#line.hear(audio) : this.#opening.then(() => this.#line?.hear(audio))
    return waiting?.catch(() => this.#fault(unavailable))
  }

  /** The limiter counts a command when it arrives, like a request. */
  async #command(run: (line: VoiceLine) => Promise<void>): Promise<void> {
    const waitS = this.#ports.limiter?.consume(this.#connection.who) ?? null
    if (waitS !== null)
      return this.#fault({ code: 'rate_limited', message: `Too many commands; try again in ${waitS} s.` })
    if (!this.#line) await this.#opening
    if (!this.#line) return
    try {
      await run(this.#line)
    } catch {
      this.#fault(unavailable)
    }
  }

  async #recordToolResult(message: VoiceClientMessage & { type: 'tool_result' }): Promise<void> {
    const fault = await recordToolResult(message, this.#session, this.#ports.host, this.#connection.user)
    if (fault) this.#fault(fault)
  }

  async #connect(from: 'new' | 'awake'): Promise<void> {
    const { voice } = this.#ports
    if (!voice) return this.#refuse(noVoice, 'refused')
    const { key, user, viewer, line, parameters } = this.#connection
    const { encoding: _encoding, line: _line, ...wishes } = parameters
    const request = {
      ...{ key, session: this.#session, user, line, ...wishes },
      ...(viewer !== null && { owner: viewer }),
      ...(from === 'awake' && { isResumed: true as const }),
    }
    const opened = await voice.open(request, this.#client)
    if (isVoiceFault(opened)) return this.#refuse(opened, closeAfter(opened))
    // The client left, or was replaced, while the line opened.
    if (!this.#open) return opened.close()
    this.#line = opened
    if (from === 'new') this.#welcome(opened)
  }

  #welcome(line: VoiceLine): void {
    const { key, parameters, since } = this.#connection
    const { format, turns } = parameters
    const { state, incarnations, subscribers } = this.#session
    const from = since ?? state.head
    this.#send({
      type: 'session_open',
      sessionId: key.id,
      agent: key.agent,
      line: this.#connection.line,
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
    speech: (state) => this.#send({ type: 'speech', state }),
    interrupted: (item) => this.#send({ type: 'audio_stop', item }),
    fault: (fault, isFinal) => {
      if (isFinal) this.#refuse(fault, closeAfter(fault))
      else this.#fault(fault)
    },
  }

  #sendAudio(item: string, bytes: Uint8Array): void {
    if (!this.#open || bytes.length === 0) return
    if (this.#socket.buffered() > AUDIO_UNSENT_BYTES_MAX) return this.#end('slow')
    if (this.#connection.parameters.encoding === 'json' || !this.#socket.sendBinary)
      return this.#send({ type: 'audio_delta', item, audio: encodeBase64(bytes) })
    if (item !== this.#announcedItem) this.#send({ type: 'audio_delta', item })
    this.#announcedItem = item
    this.#socket.sendBinary(bytes)
  }

  #mistake({ code, problem }: VoiceMistake): void {
    this.#fault({ code, message: problem })
  }

  #fault({ code, message }: VoiceFault): void {
    this.#send({ type: 'error', code, message })
  }

  #refuse(fault: VoiceFault, why: keyof typeof CLOSE): void {
    this.#fault(fault)
    this.#end(why)
  }

  /** A client that sends without reading the answers is cut like any slow reader. */
  #send(message: VoiceServerMessage): void {
    if (!this.#open) return
    if (this.#socket.buffered() > AUDIO_UNSENT_BYTES_MAX) this.#end('slow')
    else this.#socket.send([JSON.stringify(message)])
  }

  #end(why: keyof typeof CLOSE): void {
    if (!this.#open) return
    this.onClosed()
    const [code, reason] = CLOSE[why]
    this.#socket.close(code, reason)
  }
}

const opened = Promise.resolve()
