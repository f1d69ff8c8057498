// Text has no event numbers, so events that clients show between pieces of text record how long the answer was.
import { type DeltaOperation, setOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import type { HarnessMessage, HarnessPlace, HarnessState } from './harness-state.ts'

/** Each place adds about 40 characters to the state that clients load. */
export const EVENT_PLACES_MAX = 200

const none: readonly DeltaOperation[] = []

/** An event without a run belongs to the last answer. */
export const noteEventPlace = (
  { messages }: HarnessState,
  { seq, run }: Pick<AnyEvent, 'seq' | 'run'>,
): readonly DeltaOperation[] => {
  const index = messages.findLastIndex(
    (message) => message.role === 'assistant' && (run === undefined || message.runId === run),
  )
  const message = messages[index]
  if (!message || (message.status !== 'pending' && message.status !== 'streaming')) return none
  const { parts = [], content, places = [] } = message
  if (places.length >= EVENT_PLACES_MAX) return none
  const place: HarnessPlace = { seq, parts: parts.length, chars: content.length }
  return [
    places.length === 0
      ? setOperation(['messages', index, 'places'], [place])
      : setOperation(['messages', index, 'places', places.length], place),
  ]
}

/** Adjusts places after parts of a message were removed. */
export const placesWithout = (
  { places = [] }: Pick<HarnessMessage, 'places'>,
  isRemoved: (part: number) => boolean,
): HarnessPlace[] =>
  places.map((place) => {
    let parts = place.parts
    for (let part = 0; part < place.parts; part++) if (isRemoved(part)) parts--
    return { ...place, parts }
  })
