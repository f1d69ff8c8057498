// An entry as it leaves the server, without secrets. Clients fold entries and scrub none, so their bundle does not have this file.

import type { JsonObject } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import { type LogEntry, unscrubbedEntryOf } from '@bridle/wire/log-entry'
import { scrub } from './scrubbing.ts'

/** An event as the log of the wire has it. */
export const entryOf = (event: AnyEvent): LogEntry => {
  const entry = unscrubbedEntryOf(event)
  if (isBytes(event)) return entry
  const payload = scrub(entry.payload) as JsonObject
  return payload === entry.payload ? entry : { ...entry, payload }
}

/** Letters of base64 may look like a key by chance, and bytes without them would be broken. */
const isBytes = ({ type, hearsay, payload }: AnyEvent): boolean =>
  type === 'artifact_chunk' && !hearsay && payload.encoding === 'base64'
