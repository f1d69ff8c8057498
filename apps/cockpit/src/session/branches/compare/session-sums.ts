// The sums of a stretch of a log, and of each of its turns: what was asked, answered, called and paid.
import type { LogEntry } from 'bridle/client'
import { type AnswerText, answerAfter, NO_ANSWER } from './answer-text.ts'

export interface Sums {
  readonly calls: number
  readonly failedCalls: number
  readonly callMs: number
  /** Null = nobody told a cost. */
  readonly costUsd: number | null
  readonly tokens: number
}

export interface Turn extends Sums {
  readonly runId: string
  readonly prompt: string
  readonly answer: string
  /** Null = the turn has not ended. */
  readonly status: string | null
  readonly ms: number
}

export interface Approvals {
  readonly open: number
  readonly given: number
  readonly denied: number
}

const NONE: Sums = { calls: 0, failedCalls: 0, callMs: 0, costUsd: null, tokens: 0 }

export const sumsOf = (entries: readonly LogEntry[]): Sums => entries.reduce(withEntry, NONE)

const withEntry = (sums: Sums, { type, payload, hearsay }: LogEntry): Sums => {
  if (hearsay) return sums
  if (type === 'tool_call') return { ...sums, calls: sums.calls + 1 }
  if (type === 'usage') {
    const { total_tokens: total, input_tokens: input, output_tokens: output, cost_usd: cost } = payload
    return {
      ...sums,
      tokens: sums.tokens + (typeof total === 'number' ? total : numberOf(input) + numberOf(output)),
      costUsd: typeof cost === 'number' ? (sums.costUsd ?? 0) + cost : sums.costUsd,
    }
  }
  if (type !== 'tool_outcome' || payload.reason === 'branched') return sums
  const isFailed = payload.status !== 'ok' && payload.status !== 'artifact'
  return {
    ...sums,
    failedCalls: sums.failedCalls + (isFailed ? 1 : 0),
    callMs: sums.callMs + numberOf(payload.elapsed_ms),
  }
}

/** The turns that were at work behind `since`, in their order, each with what it did from there on. */
export const turnsOf = (entries: readonly LogEntry[], since: number): readonly Turn[] => {
  const turns = new Map<string, Turn & { readonly startedAt: number; readonly last: number }>()
  const answers = new Map<string, AnswerText>()
  for (const entry of entries) {
    const { seq, type, payload, run, at } = entry
    if (run === undefined || entry.hearsay) continue
    answers.set(run, answerAfter(answers.get(run) ?? NO_ANSWER, entry))
    const turn = turns.get(run) ?? { ...NO_TURN, runId: run, startedAt: at, last: 0 }
    // The open turn of a parent ends where its branch begins.
    if (payload.stop_reason === 'branched') turns.delete(run)
    else if (seq <= since) turns.set(run, { ...turn, ...promptOf(entry), startedAt: at })
    else
      turns.set(run, {
        ...{ ...turn, ...withEntry(turn, entry), ...promptOf(entry), last: seq },
        ms: turn.status === null ? at - turn.startedAt : turn.ms,
        status: type === 'turn_end' ? textOf(payload.status) : turn.status,
      })
  }
  return [...turns.values()]
    .filter(({ last }) => last > since)
    .map((turn) => ({ ...turn, answer: answers.get(turn.runId)?.text ?? '' }))
}

const NO_TURN = { ...NONE, prompt: '', answer: '', status: null, ms: 0 }

const promptOf = ({ type, payload }: LogEntry): Partial<Pick<Turn, 'prompt'>> =>
  type === 'turn_start' ? { prompt: textOf(payload.prompt) } : {}

export const approvalsOf = (entries: readonly LogEntry[]): Approvals => {
  const open = new Set<string>()
  let given = 0
  let denied = 0
  for (const { type, payload, hearsay } of entries) {
    if (hearsay) continue
    const id = textOf(payload.request_id)
    if (type === 'approval_required') open.add(id)
    if (type !== 'approval_applied') continue
    open.delete(id)
    if (payload.decision === 'approved') given += 1
    if (payload.decision === 'denied') denied += 1
  }
  return { open: open.size, given, denied }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
