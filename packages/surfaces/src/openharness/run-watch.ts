// Waits until a run ends or needs an approval; either is an answer to a shell.
import type { Approval } from '@bridle/kernel/projections/approvals'
import { allOpenApprovals } from '@bridle/kernel/projections/child-approvals'
import { type RunOutcome, watchRunOutcome } from '@bridle/kernel/session/run-outcome'
import type { Session } from '@bridle/kernel/session/session'
import type { Listener } from '@bridle/kernel/session/subscribers'

export type RunAnswer =
  | RunOutcome
  | { readonly status: 'awaiting_approval'; readonly approvals: readonly Approval[] }
  /** Timed out; the run continues. */
  | { readonly status: 'working' }

/** `since` is any sequence number before the end of the run. */
export const awaitRunAnswer = async (
  session: Session,
  runId: string,
  since: number,
  waitMs: number,
): Promise<RunAnswer> => {
  const watch = watchRunAnswer(session, runId, since)
  let timer: ReturnType<typeof setTimeout> | undefined
  // A platform timer suffices, because an open request keeps its server awake.
  const end = new Promise<RunAnswer>((resolve) => {
    timer = setTimeout(() => resolve({ status: 'working' }), waitMs)
  })
  const answer = await Promise.race([watch.answer, end])
  clearTimeout(timer)
  watch.stop()
  return answer
}

/** Without a timeout. May never settle once stopped. */
export const watchRunAnswer = (
  session: Session,
  runId: string,
  since: number,
): { readonly answer: Promise<RunAnswer>; readonly stop: () => void } => {
  const outcome = watchRunOutcome(session, runId, since)
  const approvals = watchApprovals(session, runId)
  return {
    answer: Promise.race([outcome.outcome, approvals.opened]),
    stop: () => {
      outcome.stop()
      approvals.stop()
    },
  }
}

/** Questions of the run, of its child sessions, or of the run that it is queued behind. */
const openApprovals = ({ state }: Session, runId: string): readonly Approval[] => {
  const { queue, run } = state.lifecycle
  const asking = queue.some((prompt) => prompt.runId === runId) ? run?.runId : runId
  return allOpenApprovals(state).filter((approval) => approval.runId === asking)
}

const watchApprovals = (
  session: Session,
  runId: string,
): { readonly opened: Promise<RunAnswer>; readonly stop: () => void } => {
  let stop = () => {}
  const opened = new Promise<RunAnswer>((resolve) => {
    const look = () => {
      const approvals = openApprovals(session, runId)
      if (approvals.length > 0) resolve({ status: 'awaiting_approval', approvals })
    }
    const listener: Listener = {
      audience: {
        key: `approvals:${watchers++}`,
        encode: () => {
          look()
          return ''
        },
      },
      send: () => {},
      unsent: () => 0,
      close: () => {},
    }
    stop = () => session.subscribers.remove(listener)
    session.subscribers.add(listener, session.state.head)
    look()
  })
  return { opened, stop: () => stop() }
}

let watchers = 0
