// The audio of the speaker on its way to the provider. A turn reaches one connection as a whole, or none at all: when the connection that
// has its beginning is gone, the rest of the turn is dropped, since half a sentence is no prompt.
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

/** Audio that is kept while the provider is connected: 20 s of PCM, twice the time that a connection may take. */
const EARLY_AUDIO_BYTES_MAX = 960_000

/** Quiet after which a voice that became no turn was none: three times the pause that ends a turn, for a provider that is slow to say so. */
const UNANSWERED_MS_MAX = 2_100
/** Bytes from one sample to the next where a level is only estimated: 1,500 samples a second, more than a voice has periods. */
const LEVEL_STRIDE_BYTES = 32

export interface SpeakerInputPorts {
  readonly request: Pick<VoiceRequest, 'turns' | 'format'>
  readonly link: ProviderLink
  /** Null: the session does not ask for audio. */
  readonly speaker: SpeakerAudio | null
  /** Somebody speaks. */
  readonly onBegin: () => void
  readonly onLost: (fault: VoiceFault) => void
}

interface OpenTurn {
  /** The connection that has its beginning; null: all of it waits for one. */
  connection: ProviderConnection | null
  bytes: number
}

/** Stands behind the audio of a turn that is over. */
const END = 'end'

export class SpeakerInput {
  readonly #ports: SpeakerInputPorts
  /** Null: nobody speaks. */
  #turn: OpenTurn | null = null
  /** The rest of a turn that was lost. Null: none was. */
  #rest: RestOfTurn | null = null
  /** Turns whose end is sent, and not confirmed. */
  #ending = 0
  /** Audio that waits for a connection, and the ends of turns in it. */
  #early: (Uint8Array | typeof END)[] = []
  #earlyBytes = 0
  /** The voice in an open microphone of which the provider has not made a turn. */
  readonly #voice: UnansweredVoice

  constructor(ports: SpeakerInputPorts) {
    this.#ports = ports
    this.#voice = new UnansweredVoice(ports.request.format)
  }

  /** The speaker has begun a turn, and not ended it. */
  get isOpen(): boolean {
    return this.#turn !== null
  }

  /** An open microphone is in the middle of a sentence, whether or not the provider has noticed. */
  get isMidSentence(): boolean {
    if (this.#ports.request.turns === 'manual') return false
    return this.#rest !== null || ((this.#turn !== null || this.#voice.isHeard) && !this.#isPausing)
  }

  /** The provider has not confirmed the end of a turn. */
  get isEnding(): boolean {
    return this.#ending > 0 || (this.#turn !== null && this.#isPausing)
  }

  /** The speaker at an open microphone has made the pause that ends a turn. */
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
    // The socket was idle for so long that it was closed.
    if (turn?.connection && turn.connection !== current) return this.#loseTurn(LOST)
    if (turn) turn.bytes += audio.length
    // The quiet of an open microphone is nothing that is said.
    if (turn) link.touch()
    if (!current) return this.#hearLater(audio)
    if (!isManual) this.#voice.hear(audio)
    speaker?.hear(audio, current)
    return current.append(audio)
  }

  /** Somebody speaks: the first audio of a turn comes, or the provider has heard a voice. */
  begin(connection: ProviderConnection | null): void {
    // The provider may notice late that somebody spoke who was cut off.
    if (this.#turn || this.#rest) return
    this.#turn = { connection, bytes: 0 }
    this.#ports.onBegin()
  }

  /** The client ends its turn. False: there is none that could be heard. */
  end(): boolean {
    const { request, link, speaker } = this.#ports
    const turn = this.#turn
    this.#turn = null
    // The speaker knows that the turn was lost, and has now come to its end.
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
    // Audio of the next turn may follow at once.
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

  /** The provider takes a turn for none. */
  refuse(): void {
    this.#ending = Math.max(0, this.#ending - 1)
    if (!this.#turn) this.#dropAudio(this.#ports.link.current)
  }

  /** The connection is gone, and with it all that it had. True: something was said. */
  lose(): boolean {
    const waiting = this.#early.filter((piece) => piece === END).length
    const hasTurn = Boolean(this.#turn?.connection)
    // The speaker knows of a turn whose rest is being dropped.
    const isMidTurn = !this.#rest && (this.isMidSentence || (hasTurn && !this.#isPausing))
    const isLost = isMidTurn || hasTurn || this.#voice.isHeard || this.#ending > waiting
    this.#ending = waiting
    this.#voice.reset()
    if (isMidTurn) this.#dropRest()
    else if (hasTurn) this.#turn = null
    return isLost
  }

  /** The client is gone: a turn that it had not ended is lost. True: more of the sentence may come with the client. */
  leave(): boolean {
    const { isMidSentence } = this
    const { request, link } = this.#ports
    // A turn whose end was heard becomes a prompt all the same.
    if (this.#turn && this.#isPausing) return false
    this.#dropAudio(isMidSentence ? link.current : (this.#turn?.connection ?? null))
    this.#turn = null
    this.#voice.reset()
    // A socket of a client that ends its turns itself begins with a turn.
    if (request.turns === 'manual') this.#rest = null
    else if (isMidSentence) this.#dropRest()
    return isMidSentence
  }

  /** Silence opens no connection; the last moment of it belongs to the words that do. */
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
    // Several pieces of audio may have waited: the first of them has taken all along.
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

  /** Drops the audio of the turn that has not ended, here and at the provider: the next turn would begin with it. */
  #dropAudio(connection: ProviderConnection | null): void {
    const { speaker } = this.#ports
    this.#early = this.#early.slice(0, this.#early.lastIndexOf(END) + 1)
    this.#earlyBytes = this.#early.reduce((sum, piece) => sum + (piece === END ? 0 : piece.length), 0)
    if (!connection?.isOpen) return
    connection.api.clear()
    speaker?.drop()
  }
}

/** The voice in an open microphone of which nobody has made a turn yet. A connection that breaks now takes words with it. */
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

  /** The provider has the turn, or the voice is lost. */
  reset(): void {
    this.#isHeard = false
  }
}

/** Every frame of a line passes here: some samples of it say enough. */
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
