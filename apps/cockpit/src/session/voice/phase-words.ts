// The phase of a dialogue in words and with an icon.
import type { VoicePhase } from 'bridle/voice'
import type { IconName } from '../../ui/icon-names.ts'

export interface PhaseWords {
  readonly text: string
  readonly icon: IconName
}

const WORDS: { readonly [P in VoicePhase]: PhaseWords } = {
  connecting: { text: 'Connecting', icon: 'loader-circle' },
  ready: { text: 'Hold the microphone to talk', icon: 'mic' },
  listening: { text: 'Listening', icon: 'mic' },
  hearing: { text: 'Hearing you', icon: 'audio-lines' },
  thinking: { text: 'Thinking', icon: 'loader-circle' },
  speaking: { text: 'Speaking', icon: 'audio-lines' },
  approval: { text: 'Waiting for your approval', icon: 'shield' },
  reconnecting: { text: 'Reconnecting', icon: 'unplug' },
  closed: { text: 'The line is closed', icon: 'unplug' },
}

export const phaseWords = (phase: VoicePhase): PhaseWords => WORDS[phase]
