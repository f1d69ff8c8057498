// The microphone of a page, as frames for a line.
import { MicrophoneError, microphoneProblem, toMicrophoneError } from './microphone-error.ts'
import { MICROPHONE_PROCESSOR, type MicrophoneMessage } from './worklet-messages.ts'

/** Settings of `openMicrophone`. */
export interface MicrophoneOptions {
  /** The address of `bridle/voice-worklet`, as the page's own server serves it. */
  readonly worklet: string | URL
  /** Gets each 20 ms: pcm16 with 24,000 samples a second. */
  readonly onAudio: (audio: Int16Array) => void
  /** Gets the level with each frame, from 0, silence, to 1, loud speech. */
  readonly onLevel?: (level: number) => void
  /** The microphone was unplugged, or the browser took it back. */
  readonly onEnd?: (error: MicrophoneError) => void
}

/** A microphone that the person has allowed. */
export interface Microphone {
  /** Off: the browser records nothing, and no frame comes. */
  isOn: boolean
  /** Gives the microphone back. */
  close(): void
}

/** Asks the person for the microphone. Rejects with a `MicrophoneError` whose message says what to do. Call it in a click. */
export const openMicrophone = async (options: MicrophoneOptions): Promise<Microphone> => {
  const problem = microphoneProblem()
  if (problem !== null) throw new MicrophoneError(problem)
  const stream = await navigator.mediaDevices
    .getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } })
    .catch((cause: unknown) => {
      throw toMicrophoneError(cause)
    })
  // The rate of the device: not every browser connects a microphone to a context of another rate.
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
