/** Two periods of the deepest voice, yet short compared with a syllable. */
export const FRAME_MS = 20
/** Audio before the detected start that belongs to the turn, because soft consonants are below the threshold. */
export const LEAD_IN_MS = 300
/** Voice in a quiet room, out of 32,767: about -40 dB. A silent microphone measures 50 to 100. */
export const VOICE_LEVEL_MIN = 300
/** 5.8 MB as a file, of the 25 MB that services accept. Longer speech becomes two turns. */
export const TURN_MS_MAX = 120_000
/** For push-to-talk clients: anything shorter is an accidental key press. */
export const TURN_MS_MIN = 100
