// Limits of audio and of turns in it, with the reason for each number.

/** A frame of the detector: long enough for two periods of the deepest voice, and short beside a syllable. */
export const FRAME_MS = 20
/** Voiced frames in a row that begin a turn: 80 ms is a short vowel, and longer than a click. */
export const VOICED_FRAMES_MIN = 4
/** Less voice than this in a whole turn is a cough or a knock, and no word. */
export const VOICED_MS_MIN = 200
/** Audio before the detected beginning that belongs to the turn: soft consonants are quieter than the threshold. */
export const LEAD_IN_MS = 300
/** The level of voice in a quiet room, of 32,767: about -40 dB. Microphones without speech have 50 to 100. */
export const VOICE_LEVEL_MIN = 300
/** The highest level that counts as voice in any noise: loud speech has more. */
export const VOICE_LEVEL_MAX = 4_000
/** Voice is this many times louder than the noise around it. */
export const NOISE_FACTOR = 3
/** Within a turn voice may be quieter: the ends of sentences are. */
export const TURN_LEVEL_FACTOR = 0.6
/** The quietest moment of so long is the noise: speech has a pause in every three seconds. */
export const NOISE_WINDOW_MS = 3_000
/** The longest turn: 5.8 MB as a file, of the 25 MB that services take. A longer speech becomes two turns. */
export const TURN_MS_MAX = 120_000
/** A turn of a client that ends its turns itself: less is a key that was touched. */
export const TURN_MS_MIN = 100
/** The loudest moment of a turn without a word: a microphone that is switched off, or covered. */
export const SILENT_LEVEL_MAX = 60

/** Quiet after which a voice that became no turn was none: three times the pause that ends a turn, for a provider that is slow to say so. */
export const UNANSWERED_MS_MAX = 2_100
/** Bytes from one sample to the next where a level is only estimated: 1,500 samples a second, more than a voice has periods. */
export const LEVEL_STRIDE_BYTES = 32

/** Samples of speech for each sample of a telephone: 24,000 a second become 8,000. */
export const SPEECH_PER_TELEPHONE_SAMPLE = 3
/** The head of a WAV file without extras. */
export const WAV_HEAD_BYTES = 44
