// How the log plays: events at a pace that can be read, pieces of streamed text in groups.

import { isTextPiece } from '../log/event-mark.ts'

/** Time that an event stays while the log plays: long enough to see what changed. */
export const PLAY_EVENT_MS = 350
/** The same for pieces of streamed text, which come in groups. */
export const PLAY_TEXT_MS = 90
/** Pieces of streamed text of one step. */
export const PLAY_TEXT_PIECES = 6
/** Time of a step for readers who want little motion: the page jumps from event to event, and leaves text pieces out. */
export const PLAY_CALM_MS = 1_500

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
