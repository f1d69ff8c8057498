// A session was removed: its runner stops what it has in hand for it, and clears up behind it. One that does not answer keeps
// nobody waiting for ever.
import type { Key } from '../event.ts'
import type { Job, Runner } from '../ports/runner.ts'
import type { Clock } from '../ports/store.ts'
import type { Run } from '../projections/lifecycle.ts'

const RELEASE_MS = 10_000

export const releaseRemovedSession = (
  { runner, clock }: { readonly runner: Runner | null; readonly clock: Clock },
  key: Key,
  run: Run | null,
  epoch: number,
): Promise<void> =>
  new Promise((resolve) => {
    const forget = clock.after(RELEASE_MS, resolve)
    stopAndForget(runner, key, run && jobOf(key, run, epoch))
      .catch(() => {})
      .finally(() => {
        forget()
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

/** As much of it as is needed to be stopped. */
const jobOf = (key: Key, { runId, attempt, handle }: Run, epoch: number): Job => ({
  ...{ key, epoch, runId, attempt, handle },
  ...{ prompt: '', input: null, resume: null, parent: null, settings: {}, frame: -1, awaiting: [] },
})
