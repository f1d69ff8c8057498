export interface Step {
  readonly id: string
  readonly title: string
  /** In the agent's own words. */
  readonly status: string
  /** Null if unknown. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly seq: number
}

export const isStepOver = (status: string): boolean => STEP_ENDS.has(status)

/** Planned but not started. */
export const isStepAhead = (status: string): boolean => STEPS_AHEAD.has(status)

/** Any other status means in progress. */
const STEP_ENDS: ReadonlySet<string> = new Set([
  ...['completed', 'complete', 'done', 'ok', 'skipped'],
  ...['failed', 'error', 'cancelled', 'stopped', 'interrupted'],
])
const STEPS_AHEAD: ReadonlySet<string> = new Set(['pending', 'planned', 'todo', 'queued', 'waiting'])
