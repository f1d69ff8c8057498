// Everything that the chart shows, from the folded events of a session and nothing else: so the chart of a moment in the past is the
// chart of the state at that moment.
import type { ChatSession, FrontendState } from 'bridle/client'
import {
  type Axis,
  callSpans,
  clockAxis,
  type Fold,
  foldedAxis,
  joined,
  type Span,
  sumMs,
} from '../../inspector/timeline/axis.ts'
import { type Call, callsOf } from '../../inspector/timeline/call.ts'
import type { Mark } from '../../inspector/timeline/marks.ts'
import { type CallGroupModel, callGroups } from './call-groups.ts'
import { chartMarks } from './chart-marks.ts'
import { type ChartStep, chartSteps } from './chart-steps.ts'

export interface Chart {
  readonly calls: readonly Call[]
  readonly groups: readonly CallGroupModel[]
  readonly marks: readonly Mark[]
  readonly steps: readonly ChartStep[]
  /** Something runs or waits: the chart grows. */
  readonly isOpen: boolean
  /** The time of the newest thing on the chart. */
  readonly lastAt: number
}

export const chartOf = (events: FrontendState, steps: ChatSession['steps']): Chart => {
  const calls = callsOf(events)
  const marks = chartMarks(events.milestones)
  const ends = [
    ...calls.flatMap(({ beganAt, endedAt }) => (endedAt === null ? [beganAt] : [beganAt, endedAt])),
    ...marks.map(({ at }) => at),
    ...events.turns.flatMap(({ startedAt, endedAt }) =>
      [startedAt, ...(endedAt === null ? [] : [endedAt])].map(Date.parse),
    ),
    ...[events.timeline.at(-1), events.diagnostics.at(-1)].flatMap((entry) =>
      entry ? [Date.parse(entry.timestamp)] : [],
    ),
  ]
  return {
    calls,
    groups: callGroups(calls, events),
    marks,
    steps: chartSteps(steps),
    isOpen: calls.some(({ endedAt }) => endedAt === null),
    lastAt: ends.reduce((last, at) => Math.max(last, at), 0),
  }
}

/** The two ways to see time: without the stretches in which no call ran, or as a clock has it. */
export type AxisKind = 'calls' | 'clock'

export const chartAxis = (chart: Chart, kind: AxisKind, now: number): Axis => {
  const spans = callSpans(chart.calls, now)
  if (kind === 'calls') return foldedAxis(spans)
  const begins = [...chart.calls.map(({ beganAt, wait }) => wait?.from ?? beganAt), ...chart.marks.map(({ at }) => at)]
  const from = begins.reduce((first, at) => Math.min(first, at), now)
  return clockAxis({ from, to: Math.max(now, from) })
}

export interface ChartTimes {
  /** The time in which at least one call ran. */
  readonly callMs: number
  /** From the first thing on the chart to the last. */
  readonly clockMs: number
  /** The time in which at least one call waited for a person. */
  readonly waitMs: number
}

export const chartTimes = ({ calls, marks }: Chart, now: number): ChartTimes => {
  const ran = calls.filter(({ status }) => status !== 'waiting').map((call) => spanOf(call, now))
  const begins = [...calls.map(({ beganAt, wait }) => wait?.from ?? beganAt), ...marks.map(({ at }) => at)]
  return {
    callMs: sumMs(joined(ran)),
    clockMs: now - begins.reduce((first, at) => Math.min(first, at), now),
    waitMs: sumMs(joined(waitsOf(calls, now))),
  }
}

const spanOf = ({ beganAt, endedAt }: Call, now: number): Span => ({
  from: beganAt,
  to: endedAt ?? Math.max(now, beganAt),
})

const waitsOf = (calls: readonly Call[], now: number): (Span & { readonly actor: string | null })[] =>
  calls.flatMap(({ wait, endedAt }) =>
    wait ? [{ from: wait.from, to: wait.to ?? endedAt ?? Math.max(now, wait.from), actor: wait.actor }] : [],
  )

/** The person that a folded stretch was spent waiting for: a name, an empty text for somebody, or null where nobody was asked. */
export const foldWait = ({ from, to }: Fold, calls: readonly Call[], now: number): string | null => {
  const covered = waitsOf(calls, now).find(
    (wait) => Math.min(wait.to, to) - Math.max(wait.from, from) > (to - from) / 2,
  )
  return covered ? (covered.actor ?? '') : null
}

export interface FoldCluster {
  /** The place in the window, from 0 to 1. */
  readonly at: number
  readonly folds: readonly [Fold, ...Fold[]]
}

/** Folded stretches in the window. Those within `room` of the first of a cluster belong to it: thousands would hide the chart. */
export const foldClusters = (
  folds: readonly Fold[],
  placeOf: (at: number) => number,
  room: number,
): readonly FoldCluster[] => {
  const clusters: { at: number; folds: [Fold, ...Fold[]] }[] = []
  for (const fold of folds) {
    const at = placeOf(fold.at)
    if (at < 0 || at > 1) continue
    const last = clusters.at(-1)
    if (last && at - last.at < room) last.folds.push(fold)
    else clusters.push({ at, folds: [fold] })
  }
  return clusters
}
