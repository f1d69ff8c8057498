// The speaker of a page: plays the audio of a line, and reports what was really played.
import { LINE_RATE } from './capture-frames.ts'
import { SPEAKER_PROCESSOR, type SpeakerCommand, type SpeakerMessage } from './worklet-messages.ts'

/** Settings of `openLoudspeaker`. */
export interface LoudspeakerOptions {
  /** The address of `bridle/voice-worklet`, as the page's own server serves it. */
  readonly worklet: string | URL
  /**
   * Gets how much of an item was played, by the count of samples that went out: ten times a second, at the end of what there is to
   * play, and at once after `stop`, with `isStopped`.
   */
  readonly onPlayed?: (item: string, ms: number, isStopped: boolean) => void
  /** Gets true when the speaker begins to play, and false when nothing is left to play. */
  readonly onPlaying?: (isPlaying: boolean) => void
}

/** A speaker, as `openLoudspeaker` opens it. */
export interface Loudspeaker {
  /** Plays audio after what waits already: pcm16 with 24,000 samples a second. */
  play(item: string, audio: Uint8Array): void
  /** Stops an item, or everything, at once. `onPlayed` follows. */
  stop(item?: string): void
  /** Ends the speaker. */
  close(): void
}

/** Opens the speaker of the page. Call it in a click: browsers let no page sound before one. */
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

/** The audio of a line as samples. A piece may end in the middle of a sample: the next one of its item completes it. */
export class PcmPieces {
  #item: string | null = null
  #rest: number | null = null
  #isStopped = false

  /** Audio of a stopped item still comes until the server knows of the stop. Played, it would be heard behind a gap. */
  push(item: string, audio: Uint8Array): Int16Array {
    if (item !== this.#item) this.#begin(item)
    if (this.#isStopped) return new Int16Array(0)
    const start = this.#rest === null ? 0 : 1
    const bytes = new Uint8Array(start + audio.length)
    if (this.#rest !== null) bytes[0] = this.#rest
    bytes.set(audio, start)
    this.#rest = bytes.length % 2 === 1 ? (bytes.at(-1) ?? null) : null
    // Little-endian, as every browser is.
    return new Int16Array(bytes.buffer, 0, bytes.length >> 1)
  }

  /** Stops an item, or everything. Items come one after the other: only the newest one gets more audio. */
  stop(item?: string): void {
    if (item === undefined || item === this.#item) this.#isStopped = true
  }

  #begin(item: string): void {
    this.#item = item
    this.#rest = null
    this.#isStopped = false
  }
}
