// The steps of the plan with their times, for a lane of the chart. A step whose times nobody told has no place on it.
import type { ChatSession } from 'bridle/client'
import { type StepStatus, stepStatus } from '../../inspector/timeline/plan-steps.ts'

export interface ChartStep {
  readonly key: string
  /** From 1. */
  readonly number: number
  readonly title: string
  readonly status: StepStatus
  readonly from: number
  /** Null while the step is under way. */
  readonly to: number | null
}

export const chartSteps = (steps: ChatSession['steps']): readonly ChartStep[] => {
  let before: number | null = null
  return steps.flatMap(({ step, title, status, started_at: started, ended_at: ended }, index) => {
    const to = ended === null ? null : Date.parse(ended)
    // Where only the end was told, the step began when the one before it ended.
    const from = started === null ? before : Date.parse(started)
    before = to ?? before
    if (from === null || (started === null && to === null)) return []
    return [{ key: step, number: index + 1, title, status: stepStatus(status), from, to }]
  })
}
