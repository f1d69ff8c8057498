// The marks of the chart: the marks of the timeline, questions to people and their answers, and those that are too near to each other as one.
import type { StreamEnvelopeOf, TimelineEntry } from 'bridle/client'
import { answerWords } from '../../event-words.ts'
import { type Mark, marksOf } from '../../inspector/timeline/marks.ts'

export const chartMarks = (milestones: readonly TimelineEntry[]): readonly Mark[] =>
  [...marksOf(milestones), ...approvalMarks(milestones)].sort((one, other) => one.seq - other.seq)

/** An answer stands for its question; a question that nobody has answered stands for itself. */
const approvalMarks = (milestones: readonly TimelineEntry[]): readonly Mark[] => {
  const answered = new Set<string>()
  const marks: Mark[] = []
  for (const { type, seq, timestamp, payload } of milestones.toReversed()) {
    const at = Date.parse(timestamp)
    if (type === 'approval_applied') {
      const answer = payload as StreamEnvelopeOf<'approval_applied'>['payload']
      answered.add(answer.request_id)
      marks.push({ seq, at, ...answerLook(answer) })
    } else if (type === 'approval_required') {
      const { request_id: id, tool_name: name, reason } = payload as StreamEnvelopeOf<'approval_required'>['payload']
      if (!answered.has(id))
        marks.push({ seq, at, icon: 'shield-alert', tone: 'warn', title: `Waits for an answer: ${name}`, text: reason })
    }
  }
  return marks
}

const answerLook = (
  answer: StreamEnvelopeOf<'approval_applied'>['payload'],
): Pick<Mark, 'icon' | 'tone' | 'title' | 'text'> => {
  const { icon, title, reason } = answerWords({ ...answer })
  return { icon, tone: '', title: `${title}: ${answer.tool_name}`, text: reason }
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
