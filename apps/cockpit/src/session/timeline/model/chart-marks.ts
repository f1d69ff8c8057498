// The marks of the chart: the marks of the timeline, questions to people and their answers, and those that are too near to each other as one.
import type { TimelineEntry } from 'bridle/client'
import { type Mark, markOf, marksOf } from '../../inspector/timeline/marks.ts'

export const chartMarks = (milestones: readonly TimelineEntry[]): readonly Mark[] =>
  [...marksOf(milestones), ...approvalMarks(milestones)].sort((one, other) => one.seq - other.seq)

/** An answer stands for its question; a question that nobody has answered stands for itself. */
const approvalMarks = (milestones: readonly TimelineEntry[]): readonly Mark[] => {
  const answered = new Set<unknown>()
  const marks: Mark[] = []
  for (const entry of milestones.toReversed()) {
    const { request_id: id } = entry.payload as { readonly request_id?: unknown }
    if (entry.type === 'approval_applied') answered.add(id)
    if (entry.type === 'approval_applied' || (entry.type === 'approval_required' && !answered.has(id)))
      marks.push(markOf(entry))
  }
  return marks
}

export interface MarkCluster {
  /** The place in the window, from 0 to 1. */
  readonly at: number
  readonly marks: readonly [Mark, ...Mark[]]
}

/** Marks in order of place; those within `room` of the first of a cluster belong to it. */
export const markClusters = (
  marks: readonly Mark[],
  placeOf: (time: number) => number,
  room: number,
): readonly MarkCluster[] => {
  const clusters: { at: number; marks: [Mark, ...Mark[]] }[] = []
  for (const mark of marks) {
    const at = placeOf(mark.at)
    if (at < 0 || at > 1) continue
    const last = clusters.at(-1)
    if (last && at - last.at < room) last.marks.push(mark)
    else clusters.push({ at, marks: [mark] })
  }
  return clusters
}
