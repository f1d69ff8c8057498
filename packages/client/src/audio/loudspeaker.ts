import { LINE_RATE } from './capture-frames.ts'
import { SPEAKER_PROCESSOR, type SpeakerCommand, type SpeakerMessage } from './worklet-messages.ts'

/** Options of `openLoudspeaker`. */
export interface LoudspeakerOptions {
  /** URL of `bridle/voice-worklet` on the page's own server. */
  readonly worklet: string | URL
  /** Reports the played milliseconds of an item: ten times a second, when the queue is empty, and after `stop` (`isStopped`). */
  readonly onPlayed?: (item: string, ms: number, isStopped: boolean) => void
  /** Called with true when playback starts and false when it runs out of audio. */
  readonly onPlaying?: (isPlaying: boolean) => void
}

/** A speaker opened by `openLoudspeaker`. */
export interface Loudspeaker {
  /** Queues audio: pcm16 at 24 kHz. */
  play(item: string, audio: Uint8Array): void
  /** Stops an item, or everything, immediately. `onPlayed` follows. */
  stop(item?: string): void
  /** Closes the speaker. */
  close(): void
}

/** Opens the speaker of the page. Call it from a click handler: browsers block audio before a user gesture. */
export const openLoudspeaker = async ({ worklet, onPlayed, onPlaying }: LoudspeakerOptions): Promise<Loudspeaker> => {
  const context = new AudioContext({ sampleRate: LINE_RATE, latencyHint: 'interactive' })
  await context.audioWorklet.addModule(worklet)
  const node = new AudioWorkletNode(context, SPEAKER_PROCESSOR, { numberOfInputs: 0, outputChannelCount: [1] })
  node.connect(context.destination)
  void context.resume()
  const send = (command: SpeakerCommand): void => node.port.postMessage(command)
  const pieces = new PcmPieces()
  let isPlaying = false
  const setPlaying = (value: boolean): void => {
    if (value === isPlaying) return
    isPlaying = value
    onPlaying?.(value)
  }
  node.port.onmessage = ({ data: { item, ms, isIdle, isStopped } }: MessageEvent<SpeakerMessage>) => {
    onPlayed?.(item, ms, isStopped)
    if (isIdle) setPlaying(false)
  }
  return {
    play: (item, audio) => {
      const samples = pieces.push(item, audio)
      if (samples.length === 0) return
      setPlaying(true)
      send({ type: 'push', item, samples })
    },
    stop: (item) => {
      pieces.stop(item)
      send({ type: 'stop', item: item ?? null })
    },
    close: () => {
      node.port.onmessage = null
      setPlaying(false)
      void context.close().catch(() => {})
    },
  }
}

/** Converts bytes to samples. A chunk may end within a sample, which the next chunk of its item completes. */
export class PcmPieces {
  #item: string | null = null
  #rest: number | null = null
  #isStopped = false

  /** Audio of a stopped item keeps arriving until the server handles the stop. Played, it would follow after a gap. */
  push(item: string, audio: Uint8Array): Int16Array {
    if (item !== this.#item) this.#begin(item)
    if (this.#isStopped) return new Int16Array(0)
    const start = this.#rest === null ? 0 : 1
    const bytes = new Uint8Array(start + audio.length)
    if (this.#rest !== null) bytes[0] = this.#rest
    bytes.set(audio, start)
    this.#rest = bytes.length % 2 === 1 ? (bytes.at(-1) ?? null) : null
    // Browsers are little-endian.
    return new Int16Array(bytes.buffer, 0, bytes.length >> 1)
  }

  /** Only the newest item receives more audio, so earlier ones need no mark. */
  stop(item?: string): void {
    if (item === undefined || item === this.#item) this.#isStopped = true
  }

  #begin(item: string): void {
    this.#item = item
    this.#rest = null
    this.#isStopped = false
  }
}
