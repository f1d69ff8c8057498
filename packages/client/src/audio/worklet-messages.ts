import type { CaptureFrame } from './capture-frames.ts'
import type { PlaybackReport } from './playback-queue.ts'

export const MICROPHONE_PROCESSOR = 'bridle-microphone'
export const SPEAKER_PROCESSOR = 'bridle-speaker'

export type SpeakerCommand =
  | { readonly type: 'push'; readonly item: string; readonly samples: Int16Array }
  | { readonly type: 'stop'; readonly item: string | null }

export type MicrophoneMessage = CaptureFrame

export type SpeakerMessage = PlaybackReport
