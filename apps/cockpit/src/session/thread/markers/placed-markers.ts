// Markers at their places in an answer: the server notes how many parts and characters there were when an event came.
import type { HarnessMessage, HarnessPart, HarnessPlace } from 'bridle/client'
import {
  artifactAnchor,
  callAnchor,
  compactionAnchor,
  type Marker,
  type TextMarker,
  type TurnMarkers,
  textAnchor,
  thoughtAnchor,
} from '../thread-index.ts'

type PlacedMessage = Pick<HarnessMessage, 'parts' | 'places'>

/** Markers without a place stay by the calls around them: those of a server that notes none, and those behind the answer. */
export const placedMarkers = (turn: TurnMarkers, { parts, places }: PlacedMessage): TurnMarkers => {
  if (!places?.length || !parts) return turn
  // Each part of an answer asks for the same markers.
  const last = lastPlaced.get(places)
  if (last?.turn === turn && last.parts === parts) return last.placed
  const placed = place(turn, parts, places)
  lastPlaced.set(places, { turn, parts, placed })
  return placed
}

const lastPlaced = new WeakMap<
  readonly HarnessPlace[],
  { readonly turn: TurnMarkers; readonly parts: readonly HarnessPart[]; readonly placed: TurnMarkers }
>()

const place = (turn: TurnMarkers, parts: readonly HarnessPart[], places: readonly HarnessPlace[]): TurnMarkers => {
  const placeBySeq = new Map(places.map((each) => [each.seq, each]))
  const hasPlace = ({ seq, isHearsay }: Marker): boolean => !isHearsay && placeBySeq.has(seq)
  const all = [turn.atStart, ...turn.before.values(), ...turn.after.values(), turn.atEnd].flat()
  const atStart = turn.atStart.filter((marker) => !hasPlace(marker))
  const after = without(turn.after, hasPlace)
  const inText = new Map<string, TextMarker[]>()
  const anchors = anchorsOf(parts)
  for (const marker of all.filter(hasPlace).sort(bySeq)) {
    const { parts: count, chars } = placeBySeq.get(marker.seq) as HarnessPlace
    const part = anchors.slice(0, count).findLast((each) => each !== null)
    if (!part) atStart.push(marker)
    else if (part.from === null) after.set(part.anchor, [...(after.get(part.anchor) ?? []), marker].sort(bySeq))
    else inText.set(part.anchor, [...(inText.get(part.anchor) ?? []), { at: Math.max(0, chars - part.from), marker }])
  }
  return {
    ...turn,
    atStart: atStart.sort(bySeq),
    before: without(turn.before, hasPlace),
    after,
    inText,
    atEnd: turn.atEnd.filter((marker) => !hasPlace(marker)),
  }
}

const bySeq = (one: Marker, other: Marker): number => one.seq - other.seq

const without = (
  lists: ReadonlyMap<string, readonly Marker[]>,
  isLeftOut: (marker: Marker) => boolean,
): Map<string, readonly Marker[]> =>
  new Map([...lists].map(([anchor, markers]) => [anchor, markers.filter((marker) => !isLeftOut(marker))]))

interface PartAnchor {
  readonly anchor: string
  /** Where a text begins in the content; null for any other part. */
  readonly from: number | null
}

/** The anchor of each part; null for a part that was withdrawn. */
const anchorsOf = (parts: readonly HarnessPart[]): readonly (PartAnchor | null)[] => {
  let [texts, thoughts, compactions] = [0, 0, 0]
  return parts.map((part) => {
    if ('superseded' in part && part.superseded) return null
    switch (part.type) {
      case 'text':
        return 'from' in part ? { anchor: textAnchor(texts++), from: part.from } : null
      case 'reasoning':
        return { anchor: thoughtAnchor(thoughts++), from: null }
      case 'tool':
        return { anchor: callAnchor(part.toolCallId), from: null }
      case 'artifact':
        return { anchor: artifactAnchor(part.artifactId), from: null }
      case 'marker':
        return { anchor: compactionAnchor(compactions++), from: null }
      default:
        return null
    }
  })
}
