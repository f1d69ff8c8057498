// Parts that the sessions of functions, tools and middleware share.
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'

/** The conversation up to the answer of these runs, which are one turn. Its last message is the prompt of the turn. */
export const messagesBefore = (
  { reporter }: { readonly reporter: RunReporter },
  runIds: ReadonlySet<string>,
): readonly HarnessMessage[] => {
  const messages = reporter.session.messages()
  const answer = messages.findIndex(({ role, runId }) => role === 'assistant' && runIds.has(runId ?? ''))
  // The session holds these messages: the function may change its own copy.
  return structuredClone(answer < 0 ? messages : messages.slice(0, answer))
}

/** Throws unless the time is in its range; absent is fine. */
export const checkMs = (name: string, ms: number | undefined, max: number): void => {
  if (ms !== undefined && !(typeof ms === 'number' && ms >= 0 && ms <= max))
    throw new RangeError(`${name} is between 0 and ${max}.`)
}

/** Starts a call unless `check` throws. Code that does not await the call must not end the process with it. */
export const trackedCall = <T>(check: () => void, start: () => Promise<T>): Promise<T> => {
  const started = (async () => {
    check()
    return start()
  })()
  started.catch(() => {})
  return started
}
