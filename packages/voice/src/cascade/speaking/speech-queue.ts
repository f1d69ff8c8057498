// Speaks utterances in order. Synthesis is faster than playback, so the queue stays a few seconds ahead and waits.
import type { Clock } from '@bridle/kernel/ports/clock'
import { AUDIO_BYTES_PER_MS, type AudioFormat, type VoiceClient } from '@bridle/kernel/ports/voice'
import { SpeechEncoder } from '../../audio/samples.ts'
import type { SpeechRequest } from '../services/synthesis.ts'
import { Playback } from './playback.ts'
import type { SentSpeech, Utterance } from './utterance.ts'

/** Audio buffered ahead. More would be synthesised and paid for, then discarded on interruption. */
const AHEAD_MS_MAX = 10_000

export interface SpeechQueuePorts {
  readonly clock: Clock
  readonly client: VoiceClient
  readonly format: AudioFormat
  readonly synthesize: (request: Pick<SpeechRequest, 'words' | 'signal'>) => AsyncIterable<Uint8Array>
  readonly onAudio: (speech: SentSpeech, bytes: Uint8Array) => void
  readonly onFault: (runId: string, cause: unknown) => void
  /** Everything queued for a run was spoken or dropped. */
  readonly onQuiet: (runId: string) => void
}

export interface StoppedSpeech {
  /** Items buffered at the client, in playback order. */
  readonly items: readonly string[]
  /** Runs with unheard speech. */
  readonly answers: readonly string[]
  readonly speech: readonly SentSpeech[]
  readonly playedMs: number
}

export class SpeechQueue {
  readonly playback: Playback
  readonly #ports: SpeechQueuePorts
  #queue: Utterance[] = []
  #current: { readonly utterance: Utterance; readonly abort: AbortController } | null = null
  #isAtWork = false
  #isClosed = false

  constructor(ports: SpeechQueuePorts) {
    this.#ports = ports
    this.playback = new Playback(ports.clock)
  }

  add(utterances: readonly Utterance[]): void {
    if (this.#isClosed || utterances.length === 0) return
    this.#queue.push(...utterances)
    void this.#work()
  }

  /** True while the run is audible or about to be. */
  isHeard(runId: string): boolean {
    const isSent = this.playback.unplayed.some(({ utterance }) => utterance.runId === runId)
    return isSent || this.#current?.utterance.runId === runId
  }

  get isSpeaking(): boolean {
    return this.#current !== null || this.#queue.length > 0 || this.playback.unplayed.length > 0
  }

  /** Runs with speech that a listener who leaves now would miss. */
  get unheardRuns(): readonly string[] {
    const unplayed = this.playback.unplayed.map(({ utterance }) => utterance)
    const coming = [...unplayed, ...(this.#current ? [this.#current.utterance] : []), ...this.#queue]
    return [...new Set(coming.filter(({ isNotice }) => !isNotice).map(({ runId }) => runId))]
  }

  isQuiet(runId: string): boolean {
    return this.#current?.utterance.runId !== runId && !this.#queue.some((each) => each.runId === runId)
  }

  /** Stops the current speech and everything that follows from the same runs. Null if nothing is playing. */
  stop(): StoppedSpeech | null {
    const { unplayed, playedMs } = this.playback
    const current = this.#current?.abort.signal.aborted ? null : this.#current
    const playing = unplayed.filter(({ startMs, endMs }) => endMs > startMs)
    const spoken = [...unplayed.map(({ utterance }) => utterance), ...(current ? [current.utterance] : [])]
    if (spoken.length === 0) return null
    const runIds = new Set(spoken.map(({ runId }) => runId))
    const texts = [...spoken, ...this.#queue].filter(({ runId, isNotice }) => !isNotice && runIds.has(runId))
    for (const runId of runIds) this.mute(runId)
    this.playback.stop()
    return {
      items: [...new Set(playing.map(({ item }) => item))],
      answers: [...new Set(texts.map(({ runId }) => runId))],
      speech: this.playback.speech,
      playedMs,
    }
  }

  /** Stops speaking a run. The client plays what it has buffered. */
  mute(runId: string): void {
    this.#queue = this.#queue.filter((each) => each.runId !== runId)
    if (this.#current?.utterance.runId === runId) this.#current.abort.abort()
  }

  close(): void {
    this.#isClosed = true
    this.#queue = []
    this.#current?.abort.abort()
  }

  async #work(): Promise<void> {
    if (this.#isAtWork) return
    this.#isAtWork = true
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      const abort = new AbortController()
      this.#current = { utterance: next, abort }
      await this.#speak(next, abort.signal).catch((cause: unknown) => {
        if (abort.signal.aborted) return
        this.mute(next.runId)
        this.#ports.onFault(next.runId, cause)
      })
      this.#current = null
      if (this.isQuiet(next.runId)) this.#ports.onQuiet(next.runId)
    }
    this.#isAtWork = false
  }

  async #speak(utterance: Utterance, signal: AbortSignal): Promise<void> {
    await this.#untilNear(signal)
    if (signal.aborted) return
    const { client, format, synthesize, onAudio } = this.#ports
    const speech = this.playback.begin(utterance)
    const encoder = new SpeechEncoder(format)
    const speak = async () => {
      for await (const audio of synthesize({ words: utterance.words, signal })) {
        if (signal.aborted) return
        const bytes = encoder.encode(audio)
        if (bytes.length === 0) continue
        this.playback.send(speech, bytes.length / AUDIO_BYTES_PER_MS[format])
        client.audio(speech.item, bytes)
        onAudio(speech, bytes)
      }
    }
    try {
      if (utterance.words !== '') await speak()
      speech.state = signal.aborted ? 'broken' : 'complete'
    } catch (cause) {
      speech.state = 'broken'
      throw cause
    }
  }

  async #untilNear(signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = this.playback.aheadMs - AHEAD_MS_MAX
      if (waitMs <= 0 || signal.aborted) return
      await new Promise<void>((resolve) => {
        const clear = this.#ports.clock.after(waitMs, resolve)
        const stop = () => {
          clear()
          resolve()
        }
        signal.addEventListener('abort', stop, { once: true })
      })
    }
  }
}
