// Limits of audio and of turns in it, with the reason for each number.

/** A frame of the detector: long enough for two periods of the deepest voice, and short beside a syllable. */
export const FRAME_MS = 20
/** Audio before the detected beginning that belongs to the turn: soft consonants are quieter than the threshold. */
export const LEAD_IN_MS = 300
/** The level of voice in a quiet room, of 32,767: about -40 dB. Microphones without speech have 50 to 100. */
export const VOICE_LEVEL_MIN = 300
/** The longest turn: 5.8 MB as a file, of the 25 MB that services take. A longer speech becomes two turns. */
export const TURN_MS_MAX = 120_000
/** A turn of a client that ends its turns itself: less is a key that was touched. */
export const TURN_MS_MIN = 100
