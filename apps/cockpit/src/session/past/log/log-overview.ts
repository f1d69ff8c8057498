// The events of a log as its scrubber needs them: how much each weighs, which have a mark, and how each approval was answered.
import type { FrontendState } from 'bridle/client'
import type { LogEntry } from 'bridle/history'
import { type EventMark, isTextPiece, markKindOf } from './event-mark.ts'

/**
 * The weights of events in their bar. A piece of streamed text weighs 1, so that a long answer does not hide the calls around it; the steps of
 * a turn weigh more, and an event with a mark most, as somebody looks for it.
 */
const TEXT_WEIGHT = 1
const EVENT_WEIGHT = 2
const STEP_WEIGHT = 4
const MARK_WEIGHT = 8

export interface LogOverview {
  readonly first: number
  readonly head: number
  /** A weight for each event, in order. */
  readonly weights: readonly number[]
  readonly marks: readonly EventMark[]
}

/** The score of the session's health since an event. */
export interface ScoreChange {
  readonly seq: number
  readonly at: number
  readonly score: number
}

const STEPS: ReadonlySet<string> = new Set(['turn_start', 'turn_end', 'tool_call', 'tool_outcome', 'approval_applied'])

const weightOf = (type: string, isMarked: boolean): number => {
  if (isMarked) return MARK_WEIGHT
  return isTextPiece(type) ? TEXT_WEIGHT : STEPS.has(type) ? STEP_WEIGHT : EVENT_WEIGHT
}

/** The overview while the page is live, of what it knows without the log: the newest events, and that all others are pieces of text or older. */
export const liveOverview = (
  { timeline, diagnostics }: Pick<FrontendState, 'timeline' | 'diagnostics'>,
  head: number,
): LogOverview => {
  const weights: number[] = new Array(head).fill(TEXT_WEIGHT)
  const marks: EventMark[] = []
  for (const { seq, type, payload } of [...timeline, ...diagnostics]) {
    if (seq < 1 || seq > head) continue
    const kind = markKindOf({ type, payload })
    weights[seq - 1] = weightOf(type, kind !== null)
    if (kind) marks.push({ seq, kind })
  }
  return { first: 1, head, weights, marks: marks.toSorted((one, other) => one.seq - other.seq) }
}

const ANSWERS: ReadonlySet<string> = new Set(['approval_decided', 'approval_applied'])

/** The overview of a log that grows. */
export class GrowingOverview implements LogOverview {
  readonly first: number
  readonly weights: number[] = []
  readonly marks: EventMark[] = []
  /** Oldest first. */
  readonly scores: ScoreChange[] = []
  /** The question of each approval, and its answer, by request id. */
  readonly #questions = new Map<string, LogEntry>()
  readonly #answers = new Map<string, LogEntry>()

  constructor(first: number) {
    this.first = first
  }

  get head(): number {
    return this.first + this.weights.length - 1
  }

  add(entries: readonly LogEntry[]): void {
    for (const entry of entries) {
      const kind = markKindOf(entry)
      this.weights.push(weightOf(entry.type, kind !== null))
      if (kind) this.marks.push({ seq: entry.seq, kind })
      this.#noteApproval(entry)
      this.#noteScore(entry)
    }
  }

  questionOf(requestId: string): LogEntry | undefined {
    return this.#questions.get(requestId)
  }

  answerOf(requestId: string): LogEntry | undefined {
    return this.#answers.get(requestId)
  }

  #noteScore({ type, seq, at, hearsay, payload }: LogEntry): void {
    const { score } = payload as { readonly score?: unknown }
    if (type === 'health_changed' && !hearsay && typeof score === 'number') this.scores.push({ seq, at, score })
  }

  #noteApproval(entry: LogEntry): void {
    const { request_id: id } = entry.payload as { readonly request_id?: unknown }
    if (typeof id !== 'string' || entry.hearsay) return
    if (entry.type === 'approval_required') this.#questions.set(id, entry)
    // The answer is a fact before the run hears of it.
    if (ANSWERS.has(entry.type) && !this.#answers.has(id)) this.#answers.set(id, entry)
  }
}
