// Read from the log if the run is over, awaited otherwise.

import type { Json } from '@bridle/events/json'
import type { AnyEvent } from '../event.ts'
import type { Session } from './session.ts'
import type { Listener } from './subscribers.ts'

export type RunOutcome =
  | { readonly status: 'completed'; readonly result: Json }
  | { readonly status: 'failed'; readonly message: string; readonly reason: string | null }
  | { readonly status: 'cancelled' }
  /** The session left this process. The run continues elsewhere or after the restart. */
  | { readonly status: 'moved' }
  | { readonly status: 'removed' }

/** `since`: any sequence number before the run's end, such as the one in the answer to its prompt. */
export const runOutcome = (session: Session, runId: string, since: number): Promise<RunOutcome> =>
  watchRunOutcome(session, runId, since).outcome

export interface OutcomeWatch {
  readonly outcome: Promise<RunOutcome>
  /** The outcome may then never resolve. */
  readonly stop: () => void
}

export const watchRunOutcome = (session: Session, runId: string, since: number): OutcomeWatch => {
  let stop = () => {}
  const outcome = new Promise<RunOutcome>((resolve) => {
    let end: RunOutcome = { status: 'cancelled' }
    const finish = (last: RunOutcome) => {
      resolve(last)
      // Removing a listener while subscribers publish would modify the set during iteration.
      Promise.resolve().then(() => session.subscribers.remove(waiter))
    }
    const watch = (event: AnyEvent): void => {
      end = outcomeOf(event, runId) ?? end
      if (isOver(event, runId)) finish(end)
    }
    const waiter: Listener = {
      audience: {
        key: `outcome:${waiters++}`,
        encode: ({ events }) => {
          events.forEach(watch)
          return ''
        },
      },
      send: () => {},
      unsent: () => 0,
      close: (why) => finish({ status: why === 'removed' ? 'removed' : 'moved' }),
    }
    stop = () => session.subscribers.remove(waiter)
    session.subscribers.add(waiter, since)
  })
  return { outcome, stop: () => stop() }
}

const outcomeOf = (event: AnyEvent, runId: string): RunOutcome | null => {
  // A prompt that expires in the queue has no run; its error names its turn.
  const subject = event.type === 'error' ? (event.run ?? event.payload.turn_id) : event.run
  if (subject !== runId || event.hearsay) return null
  if (event.type === 'completed') return { status: 'completed', result: event.payload.result ?? null }
  if (event.type !== 'error') return null
  return { status: 'failed', message: event.payload.message, reason: event.payload.reason ?? null }
}

const isOver = (event: AnyEvent, runId: string): boolean =>
  !event.hearsay &&
  ((event.type === 'turn_end' && event.payload.turn_id === runId) ||
    (event.type === 'prompt_dropped' && event.payload.run_id === runId))

let waiters = 0
