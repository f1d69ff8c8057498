// How the log plays: events at a pace that can be read, pieces of streamed text in groups.

import { PLAY_CALM_MS, PLAY_EVENT_MS, PLAY_TEXT_MS, PLAY_TEXT_PIECES } from '../limits.ts'
import { isTextPiece } from '../log/event-mark.ts'

interface PlayedLog {
  readonly head: number
  readonly typeOf: (seq: number) => string | undefined
}

export interface PlayStep {
  readonly seq: number
  /** How long the event stays before the next step. */
  readonly stayMs: number
}

/** The step after an event; null at the end of the log. `isCalm`: the reader wants little motion. */
export const nextStep = ({ head, typeOf }: PlayedLog, seq: number, isCalm: boolean): PlayStep | null => {
  if (seq >= head) return null
  const isPiece = (at: number): boolean => isTextPiece(typeOf(at) ?? '')
  if (isCalm) {
    let next = seq + 1
    while (next < head && isPiece(next)) next += 1
    return { seq: next, stayMs: PLAY_CALM_MS }
  }
  if (!isPiece(seq + 1)) return { seq: seq + 1, stayMs: PLAY_EVENT_MS }
  let next = seq + 1
  while (next < head && next - seq < PLAY_TEXT_PIECES && isPiece(next + 1)) next += 1
  return { seq: next, stayMs: PLAY_TEXT_MS }
}
