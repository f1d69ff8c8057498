// The runner of a removed session stops its run and deletes its files. A runner that does not answer delays the removal for a
// bounded time.
import type { Key } from '../event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Job, Runner } from '../ports/runner.ts'
import type { Run } from '../projections/lifecycle-state.ts'
import { RELEASE_MS } from './limits.ts'

export const releaseRemovedSession = (
  { runner, clock }: { readonly runner: Runner | null; readonly clock: Clock },
  key: Key,
  run: Run | null,
  epoch: number,
): Promise<void> =>
  new Promise((resolve) => {
    const clearTimer = clock.after(RELEASE_MS, resolve)
    stopAndForget(runner, key, run && jobOf(key, run, epoch))
      .catch(() => {})
      .finally(() => {
        clearTimer()
        resolve()
      })
  })

const stopAndForget = async (runner: Runner | null, key: Key, job: Job | null): Promise<void> => {
  try {
    if (job) await runner?.abort(job)
  } finally {
    await runner?.forget?.(key)
  }
}

/** As much of a job as a runner needs to stop it. */
const jobOf = (key: Key, { runId, attempt, handle }: Run, epoch: number): Job => ({
  ...{ key, epoch, runId, attempt, handle },
  ...{ prompt: '', input: null, resume: null, parent: null, settings: {}, frame: -1, awaiting: [] },
})
