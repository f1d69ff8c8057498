// The entry for pages that speak with sessions: microphone, speaker, and both together with a line.

export { type Loudspeaker, type LoudspeakerOptions, openLoudspeaker } from './audio/loudspeaker.ts'
export { type Microphone, type MicrophoneOptions, openMicrophone } from './audio/microphone.ts'
export { MicrophoneError, type MicrophoneProblem } from './audio/microphone-error.ts'
export { openVoiceDialogue, type VoiceDialogue, type VoiceDialogueOptions } from './dialogue/dialogue.ts'
export type { VoiceApproval, VoiceCaption, VoiceDialogueState, VoicePhase, VoiceProblem } from './dialogue/state.ts'
