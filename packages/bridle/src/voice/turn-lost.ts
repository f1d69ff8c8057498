// The fault of a sentence in the middle of which a client broke off.
import type { VoiceFault } from '../kernel/ports/voice.ts'

export const TURN_LOST: VoiceFault = {
  code: 'turn_lost',
  message: 'The connection broke while somebody spoke. Say it again.',
}
