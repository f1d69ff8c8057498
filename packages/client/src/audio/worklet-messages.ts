// The messages between a page and its audio worklet, and the names of the processors.
import type { CaptureFrame } from './capture-frames.ts'
import type { PlaybackReport } from './playback-queue.ts'

export const MICROPHONE_PROCESSOR = 'bridle-microphone'
export const SPEAKER_PROCESSOR = 'bridle-speaker'

/** From the page to the speaker. */
export type SpeakerCommand =
  | { readonly type: 'push'; readonly item: string; readonly samples: Int16Array }
  | { readonly type: 'stop'; readonly item: string | null }

/** From the microphone to the page. */
export type MicrophoneMessage = CaptureFrame

/** From the speaker to the page. */
export type SpeakerMessage = PlaybackReport
