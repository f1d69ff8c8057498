// Tracks each answer from its first audio until it was heard. The log keeps the listener's position in case the process crashes.

import type { VoiceRequest } from '@bridle/kernel/ports/voice'
import type { HeardMark } from '@bridle/kernel/projections/listening'
import type { LinePorts } from '../engine.ts'
import type { AudioClip } from '../keeping/audio-clip.ts'
import type { AudioKeeper } from '../keeping/audio-keeper.ts'

/** Polling interval for finished playback, so that pages show the audio with its answer. */
export const PLAYED_LOOK_MS = 500
/** Interval of position marks. A crash loses about three words, and a long answer has some sixty marks. */
const HEARD_MARK_MS = 1_000

export interface HeardAnswersPorts extends LinePorts {
  readonly request: Pick<VoiceRequest, 'key' | 'session'>
  readonly keeper: AudioKeeper | null
  /** The audible answer and what was heard of it. Null if nothing is left to play. */
  readonly playing: () => HeardMark | null
  /** Milliseconds heard of an item, once nothing is left to play. */
  readonly heardMs: (item: string) => number
}

export class HeardAnswers {
  readonly #ports: HeardAnswersPorts
  /** Audio by item, until it is known how much was heard. */
  readonly #items = new Map<string, { readonly runId: string; readonly clip: AudioClip }>()
  #cancelLook: (() => void) | null = null
  #markedAt = 0
  #marked: HeardMark | null = null

  constructor(ports: HeardAnswersPorts) {
    this.#ports = ports
  }

  add(runId: string, item: string, bytes: Uint8Array): void {
    const { keeper, clock } = this.#ports
    if (keeper) {
      const sent = this.#items.get(item) ?? { runId, clip: keeper.clip() }
      this.#items.set(item, sent)
      sent.clip.add(bytes)
    }
    if (this.#cancelLook) return
    this.#markedAt = clock.now()
    this.#lookLater()
  }

  mark(place = this.#ports.playing()): void {
    this.#markedAt = this.#ports.clock.now()
    if (!place || place.chars === 0) return
    if (this.#marked?.runId === place.runId && this.#marked.chars === place.chars) return
    this.#marked = place
    this.#send(place)
  }

  /** The listener left at this position. Whether the answer is truncated is decided when its run ends. */
  leave(place: HeardMark): void {
    this.#stopLooking()
    this.mark(place)
  }

  /** Stores the audio of all items, each truncated to what was heard. */
  keepAudio(heardMs: (item: string) => number = this.#ports.heardMs): void {
    for (const [item, { runId, clip }] of this.#items) {
      const ms = heardMs(item)
      this.#ports.keeper?.keep(runId, 'assistant', () => clip.file(ms))
    }
    this.#items.clear()
  }

  settle(): void {
    this.#stopLooking()
    const answer = this.#marked ?? this.#ports.request.session.state.listening.answer
    this.#marked = null
    if (answer) this.#send(answer, true)
  }

  #stopLooking(): void {
    this.#cancelLook?.()
    this.#cancelLook = null
  }

  #look(): void {
    const { playing, clock } = this.#ports
    const place = playing()
    if (!place) {
      this.keepAudio()
      return this.settle()
    }
    if (clock.now() - this.#markedAt >= HEARD_MARK_MS) this.mark(place)
    this.#lookLater()
  }

  #lookLater(): void {
    this.#cancelLook = this.#ports.clock.after(PLAYED_LOOK_MS, () => this.#look())
  }

  /** The session may be gone. */
  #send({ runId, chars, audioMs }: HeardMark, isOver = false): void {
    const { send, request } = this.#ports
    const over = isOver ? { isOver: true as const } : {}
    send(request.key, { type: 'heard', runId, chars, audioMs, ...over }).catch(() => {})
  }
}

/** The end of the last whole word before a position. */
export const wordEnd = (content: string, position: number): number => {
  const isBetweenWords = position >= content.length || /\s/.test(content[position] as string)
  const before = content.slice(0, position)
  return (isBetweenWords ? before : before.replace(/\S+$/, '')).trimEnd().length
}
