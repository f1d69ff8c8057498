// The rows of a group: one for each call, and one for several of a kind that follow each other, until somebody opens it.

import type { Call, CallStatus } from '../../inspector/timeline/call.ts'
import { FOLDED_FROM } from '../../inspector/timeline/rows.ts'
import type { CallGroupModel, ChildSession } from './call-groups.ts'

export type CallFilter = 'all' | CallStatus

export interface CallsRow {
  readonly kind: 'calls'
  readonly key: string
  /** Several are folded. */
  readonly calls: readonly [Call, ...Call[]]
  /** The row that this one is a part of, where somebody opened it. */
  readonly partOf: string | null
}

/** The way to the session in which a subagent works. */
export interface ChildRow {
  readonly kind: 'child'
  readonly key: string
  readonly child: ChildSession
  readonly givenBy: Call | null
}

export type ChartRow = CallsRow | ChildRow

export interface ChartGroup extends CallGroupModel {
  readonly rows: readonly ChartRow[]
}

export interface RowChoice {
  readonly filter: CallFilter
  /** The keys of rows that somebody opened. */
  readonly opened: ReadonlySet<string>
  /** The number of the first event of the selected call: its row is shown, whatever is folded or left out. */
  readonly selected: number | null
}

/** Groups without a row are left out. */
export const chartRows = (groups: readonly CallGroupModel[], choice: RowChoice): readonly ChartGroup[] =>
  groups.flatMap((group) => {
    const rows = rowsOf(group, choice)
    return rows.length === 0 ? [] : [{ ...group, rows }]
  })

const rowsOf = ({ key, calls, child, givenBy }: CallGroupModel, { filter, opened, selected }: RowChoice) => {
  const rows: ChartRow[] = []
  if (child && filter === 'all') rows.push({ kind: 'child', key: `child ${key}`, child, givenBy })
  const shown = calls.filter((call) => filter === 'all' || call.status === filter || call.seq === selected)
  for (const run of alikeRuns(shown)) {
    const folded: CallsRow = { kind: 'calls', key: `calls ${run[0].seq}`, calls: run, partOf: null }
    if (run.length < FOLDED_FROM) {
      for (const call of run) rows.push(rowOf(call, null))
      continue
    }
    rows.push(folded)
    if (opened.has(folded.key) || run.some(({ seq }) => seq === selected))
      for (const call of run) rows.push(rowOf(call, folded.key))
  }
  return rows
}

const rowOf = (call: Call, partOf: string | null): CallsRow => ({
  kind: 'calls',
  key: `call ${call.seq}`,
  calls: [call],
  partOf,
})

/** Calls that follow each other with one name and one outcome. An open call stands alone. */
const alikeRuns = (calls: readonly Call[]): readonly [Call, ...Call[]][] => {
  const runs: [Call, ...Call[]][] = []
  for (const call of calls) {
    const run = runs.at(-1)
    if (run && isAlike(run[0], call)) run.push(call)
    else runs.push([call])
  }
  return runs
}

const isAlike = (one: Call, other: Call): boolean =>
  one.name === other.name &&
  one.status === other.status &&
  one.endedAt !== null &&
  other.endedAt !== null &&
  one.isSuperseded === other.isSuperseded

/** How many calls have each status, in the order in which they are shown; the first is all of them. */
export const callCounts = (calls: readonly Call[]): readonly (readonly [CallFilter, number])[] => {
  const statuses = ['error', 'timeout', 'denied', 'waiting', 'running'] as const
  const counts = statuses.map((status) => [status, calls.filter((call) => call.status === status).length] as const)
  return [['all', calls.length], ...counts.filter(([, count]) => count > 0)]
}
