// Every limit of lines, with a line on why that number.

/** A line on which nothing is said closes its provider's socket: an open one costs memory, and keeps a Durable Object awake. */
export const IDLE_MS = 60_000
/** A pause of the speaker that ends a turn: longer than a breath, shorter than a reply that feels late. */
export const SILENCE_MS = 700
/** Time for a client to report how much it has played: a round trip on a slow mobile network. */
export const PLAYED_WAIT_MS = 500
/** How often, and how many times, an interruption looks whether the text that was heard is in the log: longer than a slow write. */
export const WRITTEN_LOOK_MS = 10
export const WRITTEN_LOOKS = 30
/** How often a line looks whether an answer was played to its end: soon enough that a page shows the audio with the answer. */
export const PLAYED_LOOK_MS = 500
/** How often the log learns how far the listener of an answer is: three words are lost with a process, and a long answer has some sixty marks. */
export const HEARD_MARK_MS = 1_000
/** A client plays later than the server sends: audio that should have ended this recently may still be heard. */
export const PLAYBACK_SLACK_MS = 300
/** Time for a provider to answer a connection; a person who waits longer hangs up. */
export const PROVIDER_OPEN_MS = 10_000
/** Time for the provider to end a response that was cancelled, before the next one begins. */
export const RESPONSE_END_MS = 5_000
/** Connections that may break in the middle of one answer: each makes the provider read the conversation again, at the operator's expense. */
export const LOSSES_MAX = 3
/** How often, and after which pause, a provider is called again in the middle of an answer: the audio that was sent plays meanwhile. */
export const RECONNECT_TRIES = 3
export const RECONNECT_PAUSE_MS = 500
/** Time for the provider to write down a turn: it transcribes faster than people speak. */
export const TRANSCRIPTION_MS = 20_000
/** Unsent bytes at which a line takes no more audio: about 10 s of PCM as base64. */
export const PROVIDER_UNSENT_BYTES_MAX = 640_000
/** How often a line looks whether its provider takes audio again: a few frames of audio. */
export const UNSENT_LOOK_MS = 50
/** Audio that is kept while the provider is connected: 20 s of PCM, twice the time that a connection may take. */
export const EARLY_AUDIO_BYTES_MAX = 960_000
/** Characters of a provider's message that are passed on. */
export const PROVIDER_MESSAGE_CHARS_MAX = 300
/** Characters of one message of a provider: seconds of audio as base64, far more than providers send at once. */
export const PROVIDER_EVENT_CHARS_MAX = 4_000_000
/** A client that is back within this goes on with its line; after it, the listener has hung up. Mobile networks change cells in less. */
export const AWAY_MS = 10_000
/** Audio that waits for a client that is away: more than two minutes of PCM, longer than answers are. */
export const AWAY_AUDIO_BYTES_MAX = 8_000_000
/** Audio of a token, where a provider counts tokens of audio and not its time. */
export const AUDIO_TOKEN_MS = 100
/** Characters of a call that a line reads before an approval: a quarter of a minute of speech, which a listener can still keep in mind. */
export const CALL_CHARS_MAX = 200
