// Every limit of the voice wire, with a line on why that number.

/** A frame of audio: 21 s of pcm16. Clients send some 20 ms; one that records first may send a sentence at once. */
export const AUDIO_FRAME_BYTES_MAX = 1024 * 1024
/** A message with such a frame as base64, and what stands around it. */
export const AUDIO_MESSAGE_CHARS_MAX = Math.ceil((AUDIO_FRAME_BYTES_MAX * 4) / 3) + 1_000
/** Audio that a client may send ahead of time: a minute, as after a pause of its network. */
export const AUDIO_BURST_MS = 60_000
/** Audio of a second that a client may send in a second: clocks differ, and a client catches up after a pause. */
export const AUDIO_RATE = 2
/** The shortest frame, for the count above: an audio worklet hands out 5 ms, and shorter frames cost more than they bring. */
export const AUDIO_FRAME_MS_MIN = 4
/** Audio that the client has not taken: five minutes of pcm16. A model speaks an answer faster than it is heard. */
export const AUDIO_UNSENT_BYTES_MAX = 16 * 1024 * 1024
/** Instructions of a client: a page of text. They are untrusted, and cost tokens in every turn. */
export const INSTRUCTIONS_CHARS_MAX = 4_000
/** A typed text: more than a person types, and less than an answer to it would take. */
export const VOICE_TEXT_CHARS_MAX = 100_000
/** The name of a voice or a model; the names of providers have some 40 characters. */
export const VOICE_NAME_CHARS_MAX = 128
/** The name of an item, or of a call, which came from the server. */
export const ITEM_CHARS_MAX = 256
/** The outcome of a directive: a few fields. The session keeps it until a prompt brings it to the agent. */
export const FEEDBACK_CHARS_MAX = 16_000
/** Events looked through for the call of an outcome: clients execute a directive at once. */
export const FEEDBACK_LOOKUP_MAX = 2_000
/** Events read at a time, so that other sessions get their turn. */
export const FEEDBACK_LOOKUP_PAGE = 500
