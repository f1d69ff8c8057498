// The messages of OpenHarness v1, as clients import them: types, and no schema library.
export type * from './wire/messages.ts'
