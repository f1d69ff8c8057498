// A durable runner for tests of signals: it waits for the names in its prompt, one after the other, and answers with their payloads.

import type { Json } from '@bridle/events/json'
import type { AnyEvent } from '@bridle/kernel/event'
import type { Job, RunEnd, Runner } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'

/** Events read at a time. */
const PAGE = 100

/** `take` is awaited before a run starts: a test sends a signal before the run waits. */
export const waitingRunner = (take: () => Promise<void> = async () => {}): Runner => ({
  start: async (job, reporter) => {
    await take()
    await reporter.report([{ type: 'started', durable: true }])
    return work(job, reporter)
  },
  attach: async (job, reporter) => {
    await reporter.report([{ type: 'resumed' }])
    return work(job, reporter)
  },
  abort: async () => null,
  answer: async () => {},
})

const work = async ({ runId, prompt }: Job, reporter: RunReporter): Promise<RunEnd> => {
  const names = prompt.split(' ')
  const events: AnyEvent[] = []
  for (;;) {
    await readOn(reporter, events)
    const continued = reporter.session.job()?.course?.continuesRun
    const payloads = signalPayloads(events, [runId, continued], names)
    if (payloads.length === names.length) {
      await reporter.report([{ type: 'finished', result: payloads }])
      return 'done'
    }
    await reporter.report([{ type: 'waiting', until: null, seen: events.at(-1)?.seq ?? 0 }])
    if (reporter.closed) return 'waiting'
  }
}

const readOn = async (reporter: RunReporter, events: AnyEvent[]): Promise<void> => {
  for (;;) {
    const page = await reporter.session.read(events.at(-1)?.seq ?? 0, PAGE)
    if (page.length === 0) return
    events.push(...page)
  }
}

/** The payloads of the names that have come, as far as the first that has not. A signal answers one name once. */
const signalPayloads = (
  events: readonly AnyEvent[],
  runs: readonly (string | undefined)[],
  names: readonly string[],
): Json[] => {
  const signals = events.flatMap(({ type, run, payload }) =>
    type === 'signal_received' && run !== undefined && runs.includes(run)
      ? [payload as { readonly name: string; readonly payload: Json }]
      : [],
  )
  const payloads: Json[] = []
  for (const name of names) {
    const at = signals.findIndex((signal) => signal.name === name)
    if (at < 0) return payloads
    payloads.push(...signals.splice(at, 1).map(({ payload }) => payload))
  }
  return payloads
}
