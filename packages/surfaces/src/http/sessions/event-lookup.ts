import type { AnyEvent } from '@bridle/kernel/event'
import { runSeq } from '@bridle/kernel/ids'
import type { Session } from '@bridle/kernel/session/session'
import type { EventLookup, SessionFacts } from '@bridle/wire/views/session-facts'

/** Views the session as of now, regardless of events appended while reading the log. */
export const lookUp = async <T>(session: Session, viewOf: (facts: SessionFacts) => EventLookup<T>): Promise<T> => {
  const { key, state, incarnations, identity, heartbeatAt } = session
  const view = viewOf({ key, state, incarnations, identity, heartbeatAt })
  let step = view.next()
  while (!step.done) step = view.next(await eventsAt(session, step.value))
  return step.value
}

/** `seqs` ascend. Adjacent events take a single read. */
export const eventsAt = async (session: Session, seqs: readonly number[]): Promise<readonly AnyEvent[]> => {
  const found: AnyEvent[] = []
  for (let index = 0; index < seqs.length; ) {
    const first = seqs[index] ?? 0
    let last = first
    while (seqs[index + 1] === last + 1) {
      last += 1
      index += 1
    }
    index += 1
    for (let seen = first - 1; seen < last; ) {
      const page = (await session.read(seen, last - seen)).filter(({ seq }) => seq <= last)
      if (page.length === 0) break
      found.push(...page)
      seen = page.at(-1)?.seq ?? last
    }
  }
  return found
}

export const hasRun = async (session: Session, runId: string): Promise<boolean> => {
  const seq = runSeq(runId)
  const [event] = seq === null ? [] : await session.read(seq - 1, 1)
  return event?.type === 'prompt_queued' && event.payload.run_id === runId
}
