// The events of a run that are in the log when its function begins.

import { READ_PAGE } from '@bridle/events/limits'
import type { AnyEvent } from '@bridle/kernel/event'
import { runSeq } from '@bridle/kernel/ids'
import type { ReportedSession } from '@bridle/kernel/session/run-reporter'

/** Branches of branches that continue one turn, whose runs are read: nobody branches deeper in the middle of a turn. */
const CONTINUED_RUNS_MAX = 100

/** The run, and the runs of parents whose turn it continues. */
export const continuedRuns = async (session: ReportedSession, runId: string): Promise<ReadonlySet<string>> => {
  const runIds = new Set([runId])
  let next = session.job()?.course?.continuesRun
  for (let n = 0; next !== undefined && n < CONTINUED_RUNS_MAX; n++) {
    runIds.add(next)
    const [prompt] = await session.read((runSeq(next) ?? 1) - 1, 1)
    next = prompt?.type === 'prompt_queued' ? prompt.payload.continues_run : undefined
  }
  return runIds
}

export async function* historyPages(
  session: ReportedSession,
  runIds: ReadonlySet<string>,
): AsyncGenerator<readonly AnyEvent[]> {
  let after = Math.min(...[...runIds].map((runId) => runSeq(runId) ?? 1)) - 1
  for (;;) {
    const page = await session.read(after, READ_PAGE)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.seq
  }
}
