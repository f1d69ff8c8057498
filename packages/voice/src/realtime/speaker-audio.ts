// The audio of the speaker as the provider got it, cut into the turns that the provider commits.
import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import { AudioClip, type AudioFile } from '../keeping/audio-clip.ts'
import { TURN_EMPTY } from './faults.ts'
import type { SpeakerEvent } from './provider.ts'

/** Audio before the moment in which a provider tells that somebody speaks: its padding, its detection and the way back. */
const HEARD_BEFORE_MS = 3_000

interface OpenTurn {
  readonly clip: AudioClip
  /** The place of its first byte in the audio of the connection. */
  readonly from: number
}

type TurnFile = () => AudioFile | null

export class SpeakerAudio {
  readonly #format: AudioFormat
  readonly #turns: 'manual' | 'silence'
  /** The connection that the audio went to: each counts its audio from zero. */
  #connection: object | null = null
  /** The newest audio, since a provider tells late that somebody speaks. */
  #recent: Uint8Array[] = []
  #recentBytes = 0
  #bytes = 0
  #open: OpenTurn | null = null
  /** The place where the last turn has ended: the next one does not repeat it. */
  #endedAt = 0
  /** Turns that are over, and have no name yet. */
  #ended: TurnFile[] = []
  readonly #committed = new Map<string, TurnFile>()

  constructor(format: AudioFormat, turns: 'manual' | 'silence') {
    this.#format = format
    this.#turns = turns
  }

  /** Audio on its way to the provider. */
  hear(audio: Uint8Array, connection: object): void {
    if (connection !== this.#connection) this.clear()
    this.#connection = connection
    const piece = audio.slice()
    if (this.#turns === 'manual') this.#open ??= { clip: new AudioClip(this.#format), from: this.#bytes }
    else this.#remember(piece)
    this.#open?.clip.add(piece)
    this.#bytes += piece.length
  }

  handle(event: SpeakerEvent): void {
    if (event.type === 'speech_started') this.#start(event.ms)
    else if (event.type === 'speech_stopped') this.end(event.ms)
    else if (event.type === 'turn_committed') this.#commit(event.turn)
    // The provider takes the oldest turn for none.
    else if (event.type === 'fault' && event.fault.code === TURN_EMPTY.code) this.#ended.shift()
  }

  /** Somebody speaks, since this millisecond of the connection's audio. */
  #start(ms: number): void {
    if (this.#open) return
    const oldest = this.#bytes - this.#recentBytes
    const from = Math.max(oldest, this.#endedAt, Math.floor(ms) * AUDIO_BYTES_PER_MS[this.#format])
    const clip = new AudioClip(this.#format)
    let at = oldest
    for (const piece of this.#recent) {
      if (at + piece.length > from) clip.add(piece.subarray(Math.max(0, from - at)))
      at += piece.length
    }
    this.#open = { clip, from }
  }

  /** The turn is over, at this millisecond of the connection's audio; null: now. */
  end(ms: number | null): void {
    const turn = this.#open
    if (!turn) return
    this.#open = null
    const perMs = AUDIO_BYTES_PER_MS[this.#format]
    const reportedMs = Math.floor(ms ?? 0) - turn.from / perMs
    const lengthMs = reportedMs > 0 ? reportedMs : turn.clip.ms
    this.#endedAt = Math.min(this.#bytes, turn.from + lengthMs * perMs)
    this.#ended.push(() => turn.clip.file(lengthMs))
  }

  /** The provider has named the oldest turn that is over. */
  #commit(id: string): void {
    if (this.#ended.length === 0) this.end(null)
    const turn = this.#ended.shift()
    if (turn) this.#committed.set(id, turn)
  }

  /** The audio of a turn, once; null: there is none. */
  take(id: string): TurnFile | null {
    const turn = this.#committed.get(id)
    this.#committed.delete(id)
    return turn ?? null
  }

  /** Forgets the turn that has begun: the provider drops its audio, and the next turn begins with what comes now. */
  drop(): void {
    this.#open = null
    this.#recent = []
    this.#recentBytes = 0
    this.#endedAt = this.#bytes
  }

  clear(): void {
    this.#connection = null
    this.#recent = []
    this.#recentBytes = 0
    this.#bytes = 0
    this.#endedAt = 0
    this.#open = null
    this.#ended = []
    this.#committed.clear()
  }

  #remember(piece: Uint8Array): void {
    this.#recent.push(piece)
    this.#recentBytes += piece.length
    const bytesMax = HEARD_BEFORE_MS * AUDIO_BYTES_PER_MS[this.#format]
    while (this.#recent.length > 1 && this.#recentBytes > bytesMax)
      this.#recentBytes -= this.#recent.shift()?.length ?? 0
  }
}
