// Splits the speaker's audio by the turns that the provider commits.
import { AUDIO_BYTES_PER_MS, type AudioFormat } from '@bridle/kernel/ports/voice'
import { AudioClip, type AudioFile } from '../keeping/audio-clip.ts'
import { TURN_EMPTY } from './faults.ts'
import type { SpeakerEvent } from './provider.ts'

/** Audio kept from before a speech event: the provider's padding, its detection delay and the network. */
const HEARD_BEFORE_MS = 3_000

interface OpenTurn {
  readonly clip: AudioClip
  /** Offset of its first byte in the audio of the connection. */
  readonly from: number
}

type TurnFile = () => AudioFile | null

export class SpeakerAudio {
  readonly #format: AudioFormat
  readonly #turns: 'manual' | 'silence'
  /** The current connection. Each counts its audio from zero. */
  #connection: object | null = null
  /** Recent audio, because speech events arrive late. */
  #recent: Uint8Array[] = []
  #recentBytes = 0
  #bytes = 0
  #open: OpenTurn | null = null
  /** Where the last turn ended, so that turns do not overlap. */
  #endedAt = 0
  /** Ended turns that the provider has not named yet. */
  #ended: TurnFile[] = []
  readonly #committed = new Map<string, TurnFile>()

  constructor(format: AudioFormat, turns: 'manual' | 'silence') {
    this.#format = format
    this.#turns = turns
  }

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
    // The provider rejected the oldest turn as empty.
    else if (event.type === 'fault' && event.fault.code === TURN_EMPTY.code) this.#ended.shift()
  }

  /** Speech started, at this millisecond of the connection's audio. */
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

  /** The turn ended, at this millisecond of the connection's audio. Null: now. */
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

  #commit(id: string): void {
    if (this.#ended.length === 0) this.end(null)
    const turn = this.#ended.shift()
    if (turn) this.#committed.set(id, turn)
  }

  /** Returns the audio of a turn once. Null if there is none. */
  take(id: string): TurnFile | null {
    const turn = this.#committed.get(id)
    this.#committed.delete(id)
    return turn ?? null
  }

  /** Forgets the open turn, whose audio the provider discards too. */
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
