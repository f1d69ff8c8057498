// Removes secrets from entries that leave the server. Clients only fold entries, so their bundle omits this file.

import type { JsonObject } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import { type LogEntry, unscrubbedEntryOf } from '@bridle/wire/log-entry'
import { scrub } from './scrubbing.ts'

/** The event as a log entry, without secrets. */
export const entryOf = (event: AnyEvent): LogEntry => {
  const entry = unscrubbedEntryOf(event)
  if (isBytes(event)) return entry
  const payload = scrub(entry.payload) as JsonObject
  return payload === entry.payload ? entry : { ...entry, payload }
}

/** Base64 may contain a key by chance, and a replacement would break it. */
const isBytes = ({ type, hearsay, payload }: AnyEvent): boolean =>
  type === 'artifact_chunk' && !hearsay && payload.encoding === 'base64'
