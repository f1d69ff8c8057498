// The audio worklet of voice pages. A separate file, so that a page with a strict content security policy can load it
// from its own server.
import { CaptureFrames } from './capture-frames.ts'
import { PlaybackQueue } from './playback-queue.ts'
import {
  MICROPHONE_PROCESSOR,
  type MicrophoneMessage,
  SPEAKER_PROCESSOR,
  type SpeakerCommand,
  type SpeakerMessage,
} from './worklet-messages.ts'

// TypeScript's DOM library lacks the worklet globals.
declare class AudioWorkletProcessor {
  readonly port: MessagePort
}
declare const registerProcessor: (name: string, processor: new () => AudioWorkletProcessor) => void
declare const sampleRate: number

class MicrophoneProcessor extends AudioWorkletProcessor {
  readonly #frames = new CaptureFrames(sampleRate, (frame: MicrophoneMessage) =>
    this.port.postMessage(frame, [frame.samples.buffer]),
  )

  process([input]: Float32Array[][]): boolean {
    const [channel] = input ?? []
    if (channel) this.#frames.push(channel)
    return true
  }
}

class SpeakerProcessor extends AudioWorkletProcessor {
  readonly #queue = new PlaybackQueue(sampleRate, (report: SpeakerMessage) => this.port.postMessage(report))

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<SpeakerCommand>) =>
      data.type === 'push' ? this.#queue.push(data.item, data.samples) : this.#queue.stop(data.item)
  }

  process(_inputs: Float32Array[][], [output]: Float32Array[][]): boolean {
    const [first, ...others] = output ?? []
    if (first) this.#queue.fill(first)
    for (const channel of others) if (first) channel.set(first)
    return true
  }
}

registerProcessor(MICROPHONE_PROCESSOR, MicrophoneProcessor)
registerProcessor(SPEAKER_PROCESSOR, SpeakerProcessor)
