// A step of work, and what the words of agents for its status mean.

export interface Step {
  readonly id: string
  readonly title: string
  /** In the agent's own word. */
  readonly status: string
  /** Null: nobody has told. */
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** The event that told the status. */
  readonly seq: number
}

export const isStepOver = (status: string): boolean => STEP_ENDS.has(status)

/** The step is planned, and not begun. */
export const isStepAhead = (status: string): boolean => STEPS_AHEAD.has(status)

/** Any other status means that the step is under way. */
const STEP_ENDS: ReadonlySet<string> = new Set([
  ...['completed', 'complete', 'done', 'ok', 'skipped'],
  ...['failed', 'error', 'cancelled', 'stopped', 'interrupted'],
])
const STEPS_AHEAD: ReadonlySet<string> = new Set(['pending', 'planned', 'todo', 'queued', 'waiting'])
