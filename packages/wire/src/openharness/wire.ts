// Types only, so that clients can import them without a schema library.
export type * from './wire/messages.ts'
