// Sends the speaker's audio to the provider. A turn reaches one connection completely or not at all. If its connection is
// lost, the rest is dropped, because half a sentence is not a prompt.
import { AUDIO_BYTES_PER_MS, type AudioFormat, type VoiceFault, type VoiceRequest } from '@bridle/kernel/ports/voice'
import { decodeG711 } from '../audio/g711.ts'
import { LEAD_IN_MS, TURN_MS_MIN, VOICE_LEVEL_MIN } from '../audio/limits.ts'
import { RestOfTurn } from '../audio/rest-of-turn.ts'
import { levelOf } from '../audio/samples.ts'
import { SILENCE_MS } from '../spoken/limits.ts'
import { LOST } from './faults.ts'
import type { ProviderConnection } from './provider-connection.ts'
import type { ProviderLink } from './provider-link.ts'
import type { SpeakerAudio } from './speaker-audio.ts'

/** Buffered while connecting: 20 s of PCM, twice the connect timeout. */
const EARLY_AUDIO_BYTES_MAX = 960_000

/** Silence after which voice without a turn was noise: three times the pause that ends a turn, for a slow provider. */
const UNANSWERED_MS_MAX = 2_100
/** Samples 1,500 times a second, enough to estimate a level. */
const LEVEL_STRIDE_BYTES = 32

export interface SpeakerInputPorts {
  readonly request: Pick<VoiceRequest, 'turns' | 'format'>
  readonly link: ProviderLink
  readonly speaker: SpeakerAudio | null
  readonly onBegin: () => void
  readonly onLost: (fault: VoiceFault) => void
}

interface OpenTurn {
  /** The connection that received its start. Null while all of it is buffered. */
  connection: ProviderConnection | null
  bytes: number
}

/** Marks the end of a turn in the buffer. */
const END = 'end'

export class SpeakerInput {
  readonly #ports: SpeakerInputPorts
  #turn: OpenTurn | null = null
  #rest: RestOfTurn | null = null
  /** Turns whose end was sent but not confirmed. */
  #ending = 0
  /** Audio buffered for a connection, with turn ends. */
  #early: (Uint8Array | typeof END)[] = []
  #earlyBytes = 0
  /** Voice that the provider has not made a turn of. */
  readonly #voice: UnansweredVoice

  constructor(ports: SpeakerInputPorts) {
    this.#ports = ports
    this.#voice = new UnansweredVoice(ports.request.format)
  }

  get isOpen(): boolean {
    return this.#turn !== null
  }

  /** True if an open microphone hears a sentence, even before the provider reports it. */
  get isMidSentence(): boolean {
    if (this.#ports.request.turns === 'manual') return false
    return this.#rest !== null || ((this.#turn !== null || this.#voice.isHeard) && !this.#isPausing)
  }

  get isEnding(): boolean {
    return this.#ending > 0 || (this.#turn !== null && this.#isPausing)
  }

  /** True once the pause at an open microphone is long enough to end a turn. */
  get #isPausing(): boolean {
    return this.#ports.request.turns === 'silence' && this.#voice.quietMs >= SILENCE_MS
  }

  hear(audio: Uint8Array): Promise<void> | undefined {
    const next = this.#rest ? this.#rest.hear(audio) : audio
    if (next === null) return
    this.#rest = null
    return next.length === 0 ? undefined : this.#hear(next)
  }

  #hear(audio: Uint8Array): Promise<void> | undefined {
    const { request, link, speaker } = this.#ports
    const { current } = link
    const isManual = request.turns === 'manual'
    if (isManual) this.begin(current)
    const turn = this.#turn
    // The idle timeout closed the socket.
    if (turn?.connection && turn.connection !== current) return this.#loseTurn(LOST)
    if (turn) turn.bytes += audio.length
    // Silence at an open microphone does not keep the connection alive.
    if (turn) link.touch()
    if (!current) return this.#hearLater(audio)
    if (!isManual) this.#voice.hear(audio)
    speaker?.hear(audio, current)
    return current.append(audio)
  }

  /** Starts a turn, with its first audio or when the provider detects speech. */
  begin(connection: ProviderConnection | null): void {
    // The provider may report a lost turn late.
    if (this.#turn || this.#rest) return
    this.#turn = { connection, bytes: 0 }
    this.#ports.onBegin()
  }

  /** Ends the client's turn. False if there was none. */
  end(): boolean {
    const { request, link, speaker } = this.#ports
    const turn = this.#turn
    this.#turn = null
    // The client finished a turn that it already knows is lost.
    if (!turn && this.#rest) {
      this.#rest = null
      return true
    }
    const isTooShort =
      request.turns === 'manual' && (turn?.bytes ?? 0) < TURN_MS_MIN * AUDIO_BYTES_PER_MS[request.format]
    if (!turn || isTooShort) {
      this.#dropAudio(turn?.connection ?? null)
      return false
    }
    if (turn.connection && turn.connection !== link.current) {
      this.#ports.onLost(LOST)
      return true
    }
    this.#ending += 1
    // Commit now, because audio of the next turn may follow immediately.
    if (link.current) {
      speaker?.end(null)
      link.current.api.commit()
    } else {
      this.#early.push(END)
      void this.#sendEarly()
    }
    return true
  }

  confirm(): void {
    if (this.#ports.request.turns === 'silence') this.#turn = null
    this.#voice.reset()
    this.#ending = Math.max(0, this.#ending - 1)
  }

  refuse(): void {
    this.#ending = Math.max(0, this.#ending - 1)
    if (!this.#turn) this.#dropAudio(this.#ports.link.current)
  }

  /** The connection broke, and everything it had is gone. True if speech was lost. */
  lose(): boolean {
    const waiting = this.#early.filter((piece) => piece === END).length
    const hasTurn = Boolean(this.#turn?.connection)
    // A turn already being dropped was reported before.
    const isMidTurn = !this.#rest && (this.isMidSentence || (hasTurn && !this.#isPausing))
    const isLost = isMidTurn || hasTurn || this.#voice.isHeard || this.#ending > waiting
    this.#ending = waiting
    this.#voice.reset()
    if (isMidTurn) this.#dropRest()
    else if (hasTurn) this.#turn = null
    return isLost
  }

  /** The client disconnected, so its open turn is lost. True if the sentence may continue after a reconnect. */
  leave(): boolean {
    const { isMidSentence } = this
    const { request, link } = this.#ports
    // A turn whose end was detected still becomes a prompt.
    if (this.#turn && this.#isPausing) return false
    this.#dropAudio(isMidSentence ? link.current : (this.#turn?.connection ?? null))
    this.#turn = null
    this.#voice.reset()
    // A push-to-talk client starts over on each socket.
    if (request.turns === 'manual') this.#rest = null
    else if (isMidSentence) this.#dropRest()
    return isMidSentence
  }

  /** Silence does not open a connection, but its last moment is sent with the words that do. */
  #hearLater(audio: Uint8Array): Promise<void> | undefined {
    const { request, link } = this.#ports
    const { turns, format } = request
    if (turns === 'silence') this.#voice.hear(audio)
    const isQuiet = turns === 'silence' && !link.isOpening && this.#voice.quietMs > 0
    const bytesMax = isQuiet ? LEAD_IN_MS * AUDIO_BYTES_PER_MS[format] : EARLY_AUDIO_BYTES_MAX
    this.#early.push(audio.slice())
    this.#earlyBytes += audio.length
    if (turns === 'manual' && this.#earlyBytes > bytesMax && this.#early.length > 1) return this.#loseTurn(LOST)
    while (this.#early.length > 1 && this.#earlyBytes > bytesMax) this.#earlyBytes -= this.#early.shift()?.length ?? 0
    return isQuiet ? undefined : this.#sendEarly()
  }

  async #sendEarly(): Promise<void> {
    const { link, speaker, onLost } = this.#ports
    const opened = await link.connect()
    const early = this.#early.splice(0)
    this.#earlyBytes = 0
    // Concurrent calls: the first one sent everything.
    if (early.length === 0) return
    if ('code' in opened || !opened.isOpen) {
      this.#ending = 0
      if (this.#turn) this.#dropRest()
      return onLost('code' in opened ? opened : LOST)
    }
    for (const piece of early) {
      if (piece === END) {
        speaker?.end(null)
        opened.api.commit()
      } else {
        speaker?.hear(piece, opened)
        opened.append(piece)
      }
    }
    if (this.#turn) this.#turn.connection ??= opened
  }

  #loseTurn(fault: VoiceFault): undefined {
    this.#dropAudio(this.#turn?.connection ?? null)
    this.#dropRest()
    this.#ports.onLost(fault)
  }

  #dropRest(): void {
    const { turns, format } = this.#ports.request
    this.#turn = null
    this.#rest = new RestOfTurn(format, turns)
  }

  /** Discards the open turn's audio locally and at the provider, where it would start the next turn. */
  #dropAudio(connection: ProviderConnection | null): void {
    const { speaker } = this.#ports
    this.#early = this.#early.slice(0, this.#early.lastIndexOf(END) + 1)
    this.#earlyBytes = this.#early.reduce((sum, piece) => sum + (piece === END ? 0 : piece.length), 0)
    if (!connection?.isOpen) return
    connection.api.clear()
    speaker?.drop()
  }
}

/** Voice at an open microphone that is not yet part of a turn. A broken connection loses it. */
class UnansweredVoice {
  readonly #format: AudioFormat
  #isHeard = false
  #quietMs = 0

  constructor(format: AudioFormat) {
    this.#format = format
  }

  get isHeard(): boolean {
    return this.#isHeard
  }

  get quietMs(): number {
    return this.#quietMs
  }

  hear(audio: Uint8Array): void {
    if (levelIn(audio, this.#format) >= VOICE_LEVEL_MIN) {
      this.#isHeard = true
      this.#quietMs = 0
      return
    }
    this.#quietMs += audio.length / AUDIO_BYTES_PER_MS[this.#format]
    if (this.#quietMs > UNANSWERED_MS_MAX) this.#isHeard = false
  }

  reset(): void {
    this.#isHeard = false
  }
}

/** Runs on every frame, so it samples only a part. */
const levelIn = (audio: Uint8Array, format: AudioFormat): number => {
  if (format !== 'pcm16') return levelOf(decodeG711(format, audio))
  let sum = 0
  let count = 0
  for (let at = 0; at + 1 < audio.length; at += LEVEL_STRIDE_BYTES) {
    const sample = (((audio[at + 1] as number) << 24) >> 16) | (audio[at] as number)
    sum += sample * sample
    count += 1
  }
  return Math.sqrt(sum / Math.max(1, count))
}
