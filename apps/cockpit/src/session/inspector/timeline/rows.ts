// The rows of the timeline: calls and marks in order, calls of one wave or one subagent under a line with its name, and calls that
// repeat folded into one row.

import type { Call } from './call.ts'
import type { Mark } from './marks.ts'

/** Calls of a kind that are one row: two can be told apart at a glance, more push others off the screen. */
export const FOLDED_FROM = 3

export interface CallGroup {
  readonly kind: 'calls'
  readonly seq: number
  /** At least one; several of one name and outcome are folded. */
  readonly calls: readonly [Call, ...Call[]]
}

export type TimelineRow =
  | CallGroup
  | { readonly kind: 'mark'; readonly seq: number; readonly mark: Mark }
  | { readonly kind: 'line'; readonly seq: number; readonly agentId: string | null; readonly wave: string | null }

export const timelineRows = (calls: readonly Call[], marks: readonly Mark[]): readonly TimelineRow[] => {
  const items = [
    ...calls.map((call) => ({ seq: call.seq, call, mark: null })),
    ...marks.map((mark) => ({ seq: mark.seq, call: null, mark })),
  ].sort((one, other) => one.seq - other.seq)
  const rows: TimelineRow[] = []
  let open: Call[] = []
  let place = ' '
  const close = (): void => {
    const folded = open.length >= FOLDED_FROM ? [open] : open.map((call) => [call])
    for (const group of folded)
      rows.push({ kind: 'calls', seq: group[0]?.seq ?? 0, calls: group as unknown as CallGroup['calls'] })
    open = []
  }
  for (const { seq, call, mark } of items) {
    if (mark) {
      close()
      rows.push({ kind: 'mark', seq, mark })
      continue
    }
    const { agentId, wave } = call
    const nextPlace = `${agentId ?? ''} ${wave ?? ''}`
    if (nextPlace !== place) {
      close()
      place = nextPlace
      if (agentId !== null || wave !== null) rows.push({ kind: 'line', seq, agentId, wave })
    } else if (!isAlike(open.at(-1), call)) close()
    open.push(call)
  }
  close()
  return rows
}

const isAlike = (one: Call | undefined, other: Call): boolean =>
  one !== undefined && one.name === other.name && one.status === other.status && other.endedAt !== null

/** The newest rows, and more where the row of a selected event is older. */
export const newestRows = (rows: readonly TimelineRow[], count: number, seq: number | null): readonly TimelineRow[] => {
  const selected = seq === null ? -1 : rows.findIndex((row) => hasEvent(row, seq))
  const from = Math.max(0, rows.length - count)
  return rows.slice(selected < 0 ? from : Math.min(from, selected))
}

export const hasEvent = (row: TimelineRow, seq: number): boolean =>
  row.kind === 'calls'
    ? row.calls.some((call) => call.seq <= seq && seq <= call.lastSeq && isOwnEvent(call, seq))
    : row.kind === 'mark' && row.seq === seq

/** Events of calls that run at once are mixed: only the first and the last are surely of this call. */
const isOwnEvent = (call: Call, seq: number): boolean => seq === call.seq || seq === call.lastSeq
