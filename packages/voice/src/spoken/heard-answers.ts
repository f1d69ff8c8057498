// Answers from their first audio until they were heard. The log keeps the listener's position, in case the process dies.

import type { VoiceRequest } from '@bridle/kernel/ports/voice'
import type { HeardMark } from '@bridle/kernel/projections/listening'
import type { LinePorts } from '../engine.ts'
import type { AudioClip } from '../keeping/audio-clip.ts'
import type { AudioKeeper } from '../keeping/audio-keeper.ts'

/** How often a line looks whether an answer was played to its end: soon enough that a page shows the audio with the answer. */
export const PLAYED_LOOK_MS = 500
/** How often the log learns how far the listener of an answer is: three words are lost with a process, and a long answer has some sixty marks. */
const HEARD_MARK_MS = 1_000

export interface HeardAnswersPorts extends LinePorts {
  readonly request: Pick<VoiceRequest, 'key' | 'session'>
  /** Null: the session does not ask for audio. */
  readonly keeper: AudioKeeper | null
  /** The answer that the listener hears, as far as it was heard; null: there is nothing left to hear. */
  readonly playing: () => HeardMark | null
  /** The milliseconds of an item that were heard, when nothing is left. */
  readonly heardMs: (item: string) => number
}

export class HeardAnswers {
  readonly #ports: HeardAnswersPorts
  /** The audio of items, from when it is sent until it is known how much of it was heard. */
  readonly #items = new Map<string, { readonly runId: string; readonly clip: AudioClip }>()
  #cancelLook: (() => void) | null = null
  #markedAt = 0
  /** The last place that the log was told. It may be on its way there. */
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

  /** The listener is gone, after so much of the answer. Whether that cuts the answer is decided when its run has ended. */
  leave(place: HeardMark): void {
    this.#stopLooking()
    this.mark(place)
  }

  /** The audio of all items so far is over, each after the milliseconds that were heard of it. */
  keepAudio(heardMs: (item: string) => number = this.#ports.heardMs): void {
    for (const [item, { runId, clip }] of this.#items) {
      const ms = heardMs(item)
      this.#ports.keeper?.keep(runId, 'assistant', () => clip.file(ms))
    }
    this.#items.clear()
  }

  /** The listener hears no more, and the answer stays as the log has it. */
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

  /** A session that is gone has no log to be right. */
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
