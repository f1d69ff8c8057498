// Places of events in an answer. Clients show events such as checkpoints between pieces of text, and text has no event numbers: each
// such event notes how far the answer was. A piece of text costs nothing here.
import { type DeltaOperation, setOperation } from '../delta.ts'
import type { AnyEvent } from '../event.ts'
import type { HarnessMessage, HarnessPlace, HarnessState } from './harness-state.ts'

/** Events of one answer whose place in it is noted: each is about 40 characters of the state that clients load. */
export const EVENT_PLACES_MAX = 200

const none: readonly DeltaOperation[] = []

/** Notes how far the open answer of the event's run is; an event without a run belongs to the last answer. */
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

/** The places of a message whose list of parts loses some: a place stays behind those of its parts that remain. */
export const placesWithout = (
  { places = [] }: Pick<HarnessMessage, 'places'>,
  isRemoved: (part: number) => boolean,
): HarnessPlace[] =>
  places.map((place) => {
    let parts = place.parts
    for (let part = 0; part < place.parts; part++) if (isRemoved(part)) parts--
    return { ...place, parts }
  })
