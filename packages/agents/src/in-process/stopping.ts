// Stopping a run in this process.

import { ABORT_GRACE_MS } from '@bridle/events/limits'
import { keyText } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Job } from '@bridle/kernel/ports/runner'

export const attemptName = ({ key, runId, attempt }: Job): string => `${keyText(key)}/${runId}/${attempt}`

/** Resolves when a run that was told to stop has ended. Rejects when it does not in time: its abort cannot be confirmed. */
export const endInTime = (ended: Promise<unknown>, clock: Clock): Promise<void> =>
  new Promise((resolve, reject) => {
    const late = () => reject(new Error('The run ignores that it was cancelled.'))
    const cancelTimer = clock.after(ABORT_GRACE_MS, late)
    ended.then(() => resolve()).finally(cancelTimer)
  })
