import { MicrophoneError, microphoneProblem, toMicrophoneError } from './microphone-error.ts'
import { MICROPHONE_PROCESSOR, type MicrophoneMessage } from './worklet-messages.ts'

/** Options of `openMicrophone`. */
export interface MicrophoneOptions {
  /** URL of `bridle/voice-worklet` on the page's own server. */
  readonly worklet: string | URL
  /** Called every 20 ms with pcm16 at 24 kHz. */
  readonly onAudio: (audio: Int16Array) => void
  /** Called with the level of each frame, from 0 (silence) to 1 (loud speech). */
  readonly onLevel?: (level: number) => void
  /** The microphone was unplugged, or the browser revoked it. */
  readonly onEnd?: (error: MicrophoneError) => void
}

/** A microphone opened by `openMicrophone`. */
export interface Microphone {
  /** False: the browser records nothing, and no frames arrive. */
  isOn: boolean
  /** Releases the microphone. */
  close(): void
}

/** Asks for microphone permission. Rejects with a `MicrophoneError`. Call it from a click handler. */
export const openMicrophone = async (options: MicrophoneOptions): Promise<Microphone> => {
  const problem = microphoneProblem()
  if (problem !== null) throw new MicrophoneError(problem)
  const stream = await navigator.mediaDevices
    .getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } })
    .catch((cause: unknown) => {
      throw toMicrophoneError(cause)
    })
  // Use the device's sample rate, because not every browser resamples a microphone.
  const context = new AudioContext({ latencyHint: 'interactive' })
  const close = (): void => {
    for (const track of stream.getTracks()) track.stop()
    void context.close().catch(() => {})
  }
  try {
    await context.audioWorklet.addModule(options.worklet)
    return capture(context, stream, options, close)
  } catch (cause) {
    close()
    throw cause
  }
}

const capture = (
  context: AudioContext,
  stream: MediaStream,
  { onAudio, onLevel, onEnd }: MicrophoneOptions,
  close: () => void,
): Microphone => {
  const [track] = stream.getAudioTracks()
  const node = new AudioWorkletNode(context, MICROPHONE_PROCESSOR, { numberOfOutputs: 0, channelCount: 1 })
  context.createMediaStreamSource(stream).connect(node)
  void context.resume()
  let isOn = true
  node.port.onmessage = ({ data }: MessageEvent<MicrophoneMessage>) => {
    if (!isOn) return
    onAudio(data.samples)
    onLevel?.(data.level)
  }
  track?.addEventListener('ended', () => onEnd?.(new MicrophoneError('missing')))
  return {
    get isOn() {
      return isOn
    },
    set isOn(value) {
      isOn = value
      if (track) track.enabled = value
      if (!value) onLevel?.(0)
    },
    close: () => {
      node.port.onmessage = null
      close()
    },
  }
}
