// Every limit of the stream of changes, with a line on why that number.

/** A session that changes all the time is sent this often: four times a second look alive to a person. */
export const CHANGED_MS = 250
/** A session of which only the time of the last event has changed is sent this often: a list shows seconds at most. */
export const TOUCHED_MS = 1_000
/** Unread bytes of a reader, after which it gets no more changes but a new `ready`: some hundred rows. */
export const UNREAD_BYTES_MAX = 512 * 1024
