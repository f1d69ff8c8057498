// Stopping a run in this process.
import { keyText } from '../../kernel/event.ts'
import { ABORT_GRACE_MS } from '../../kernel/limits.ts'
import type { Clock } from '../../kernel/ports/clock.ts'
import type { Job } from '../../kernel/ports/runner.ts'

export const attemptName = ({ key, runId, attempt }: Job): string => `${keyText(key)}/${runId}/${attempt}`

/** Resolves when a run that was told to stop has ended. Rejects when it does not in time: its abort cannot be confirmed. */
export const endInTime = (ended: Promise<unknown>, clock: Clock): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = () => reject(new Error('The run ignores that it was cancelled.'))
    const cancelTimer = clock.after(ABORT_GRACE_MS, late)
    ended.then(() => resolve()).finally(cancelTimer)
  })
