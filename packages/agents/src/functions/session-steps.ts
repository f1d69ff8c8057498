// Steps, sleeps and signals of a durable function: each is in the log before the function continues, and returns from there in later attempts.

import { isJsonObject, type Json } from '@bridle/events/json'
import type { ReportItem } from '@bridle/kernel/commands'
import { isId, keyText } from '@bridle/kernel/event'
import { shortErrorMessage } from '../session/error-message.ts'
import { EXPIRY_MS_MAX } from '../session/limits.ts'
import { orAbort } from '../session/or-abort.ts'
import { agentEventItem } from '../session/session-items.ts'
import { checkMs } from '../session/session-parts.ts'
import type { AgentSession, StepContext } from '../session.ts'
import { errorDetails, loggedError, StepError } from '../steps/errors.ts'
import type { RunMemo, SignalRecord, StepResult } from '../steps/memo.ts'
import type { FunctionRun } from './function-run.ts'

/** Characters of a step's result as JSON: an event has room for it in every store. Larger results belong in an artifact. */
const STEP_RESULT_CHARS_MAX = 1_000_000

/** Sleeps and signals share the log with steps. No name of a step has "#", so that these names are nobody else's. */
const SLEEP = '#sleep:'
const SIGNAL = '#signal:'
const EXPIRY = '#expiry:'

/** Characters of the name of a step, a sleep or a signal: people read it in the log. */
const STEP_NAME_CHARS_MAX = 128

export const sessionSteps = (run: FunctionRun): Pick<AgentSession, 'step' | 'sleep' | 'waitFor'> => {
  const names = new StepNames()
  const shown = new ShownSteps(run.memo)
  const received = new Set<number>()
  for (const [name, { result }] of run.memo.steps)
    if (name.startsWith(SIGNAL) && isJsonObject(result) && typeof result.seq === 'number') received.add(result.seq)
  const scoped = (name: string) => `${callPrefix(run)}${name}`

  /** A number that is decided once: the time at which a wait ends. */
  const deadline = async (
    name: string,
    ms: number,
    progress: (until: number) => readonly ReportItem[] = () => [],
  ): Promise<number> => {
    const earlier = run.memo.steps.get(name)?.result
    if (typeof earlier === 'number') return earlier
    const until = Math.ceil(run.ports.clock.now() + ms)
    await run.report(...progress(until), stepDone(name, { result: until }))
    return until
  }

  return {
    step: (name, work) =>
      run.track(async () => {
        checkStepName(name, 'session.step()')
        if (typeof work !== 'function') throw new TypeError('session.step() takes a name and a function.')
        return names.exclusive(scoped(name), `steps called "${name}"`, (key) =>
          runStep(run, shown, { name, key }, work),
        )
      }),

    sleep: (name, ms) =>
      run.track(async () => {
        checkStepName(name, 'session.sleep()')
        checkMs('ms', ms ?? Number.NaN, EXPIRY_MS_MAX)
        await names.exclusive(`${SLEEP}${scoped(name)}`, `sleeps called "${name}"`, async (key) => {
          const id = shownId(key)
          const title = (until: number) => `Sleep "${name}" until ${new Date(until).toISOString()}`
          const until = await deadline(key, ms, (end) => shown.begin(id, title(end)))
          await run.wait(() => (run.ports.clock.now() >= until ? true : undefined), { until, holdsRun: false })
          reportSoon(run, shown.end(id, 'completed', title(until)))
        })
      }),

    waitFor: <T>(name: string, { expiresMs }: { readonly expiresMs?: number } = {}) =>
      run.track(async () => {
        checkSignalName(name)
        checkMs('expiresMs', expiresMs, EXPIRY_MS_MAX)
        const key = names.next(`${SIGNAL}${scoped(name)}`)
        const signals = () => run.memo.signals.get(name) ?? []
        const earlier = run.memo.steps.get(key)?.result
        if (isJsonObject(earlier)) return payloadOf(signals().find(({ seq }) => seq === earlier.seq)) as T | null
        const id = shownId(key)
        const title = `Wait for the signal "${name}"`
        reportSoon(run, shown.begin(id, title))
        const until = expiresMs === undefined ? null : await deadline(key.replace(SIGNAL, EXPIRY), expiresMs)
        const find = (): SignalRecord | null | undefined => {
          const next = signals().find(({ seq }) => !received.has(seq))
          if (next) received.add(next.seq)
          return next ?? (until !== null && run.ports.clock.now() >= until ? null : undefined)
        }
        const signal = await run.wait(find, { until, holdsRun: false })
        const ended = shown.end(id, 'completed', signal ? title : `${title}: none came in time`)
        await run.report(stepDone(key, { result: { seq: signal?.seq ?? null } }), ...ended)
        return payloadOf(signal ?? undefined) as T | null
      }),
  }
}

/** A function that never reads its log could not resume after any of them. */
export const refusedSteps = (run: FunctionRun): Pick<AgentSession, 'step' | 'sleep' | 'waitFor'> => {
  const refuse = (method: string) =>
    run.track(async () => {
      throw new StepError('not_durable', `session.${method}() needs a durable agent: remove "durable: false" from it.`)
    })
  return { step: () => refuse('step'), sleep: () => refuse('sleep'), waitFor: () => refuse('waitFor') }
}

/** Sleeps and waits are shown as `sleep:nightly` and `signal:go`. */
const shownId = (key: string): string => key.slice(1)

/** Nothing waits for these: they enter the log in order, mostly in one write with what comes next. A run that has ended takes none. */
const reportSoon = (run: FunctionRun, items: readonly ReportItem[]): void => {
  if (items.length > 0) run.report(...items).catch(() => {})
}

const runStep = async <T>(
  run: FunctionRun,
  shown: ShownSteps,
  { name, key }: { readonly name: string; readonly key: string },
  work: (context: StepContext) => T | Promise<T>,
): Promise<T> => {
  const earlier = run.memo.steps.get(key)
  if (earlier) return stepResult(earlier) as T
  const { signal, job } = run
  const stepKey = `${keyText(job.key)}:${job.runId}:step:${key}`
  reportSoon(run, shown.begin(key, name))
  let returned: T
  try {
    // Inside the promise: an error that the step throws before its first await is recorded too.
    const started = new Promise<T>((resolve) =>
      resolve(run.scope.run({ kind: 'step', name }, () => work({ signal, stepKey }))),
    )
    returned = await orAbort(started, run.signal)
  } catch (error) {
    if (run.signal.aborted || error instanceof StepError) throw error
    const record = { error: shortErrorMessage(error), ...errorDetails(error) }
    await run.report(stepDone(key, record), ...shown.end(key, 'failed', name))
    throw loggedError(record.error, record, error)
  }
  const record = returned === undefined ? {} : { result: plainResult(name, returned) }
  await run.report(stepDone(key, record), ...shown.end(key, 'completed', name))
  return structuredClone(record.result) as T
}

const stepResult = (record: StepResult): Json | undefined => {
  if (record.error !== undefined) throw loggedError(record.error, record)
  // Each caller gets a copy: the function may change it.
  return record.result === undefined ? undefined : (structuredClone(record.result) as Json)
}

/** The copy that the log keeps. The function gets the copy too, so that it sees the same value each time. */
const plainResult = (name: string, value: unknown): Json => {
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (cause) {
    throw new StepError('step_result_invalid', notJson(name), { cause })
  }
  if (text === undefined) throw new StepError('step_result_invalid', notJson(name))
  if (text.length <= STEP_RESULT_CHARS_MAX) return JSON.parse(text) as Json
  throw new StepError(
    'step_result_too_large',
    `The result of the step "${name}" has ${text.length} characters as JSON; at most ${STEP_RESULT_CHARS_MAX} are kept. Publish it with session.artifact(), or store it elsewhere and return its address.`,
  )
}

const notJson = (name: string): string =>
  `The result of the step "${name}" is not JSON. Return numbers, texts, lists and plain objects, or nothing.`

const stepDone = (name: string, record: StepResult): ReportItem => ({
  type: 'event',
  event: { type: 'step_done', payload: { name, ...record } },
})

/** The same as the name of the tool's call for steps inside a tool: the tool does not run again when it is settled. */
export const callPrefix = (run: FunctionRun): string => {
  const origin = run.scope.current()
  return origin?.kind === 'call' ? `${origin.name}/` : ''
}

const payloadOf = (signal: SignalRecord | undefined): Json => structuredClone(signal?.payload ?? null)

/** A `step_progress` where a step, sleep or wait begins and where it ends. A later attempt reports nothing that the log has. */
class ShownSteps {
  readonly #memo: Pick<RunMemo, 'shownSteps'>
  #lastIndex: number

  constructor(memo: Pick<RunMemo, 'shownSteps'>) {
    this.#memo = memo
    this.#lastIndex = Math.max(0, ...[...memo.shownSteps.values()].map(({ index }) => index))
  }

  /** Empty where the log shows the step as running: its process ended in the middle of it. */
  begin(id: string, title: string): ReportItem[] {
    const { shownSteps } = this.#memo
    const known = shownSteps.get(id)
    if (known?.isOpen) return []
    // A step that is tried again keeps its number.
    const index = known?.index ?? this.#lastIndex + 1
    this.#lastIndex = Math.max(this.#lastIndex, index)
    shownSteps.set(id, { index, isOpen: true })
    return [agentEventItem('step_progress', { step_id: id, status: 'running', title, index })]
  }

  /** Empty where the step is not shown as running: it ended before, or an older version began it. */
  end(id: string, status: 'completed' | 'failed', title: string): ReportItem[] {
    const { shownSteps } = this.#memo
    const known = shownSteps.get(id)
    if (!known?.isOpen) return []
    shownSteps.set(id, { ...known, isOpen: false })
    return [agentEventItem('step_progress', { step_id: id, status, title, index: known.index })]
  }
}

/** The names under which the log keeps steps: `name`, then `name#2` for the second one of that name. So a changed order does no harm. */
class StepNames {
  readonly #counts = new Map<string, number>()
  readonly #active = new Set<string>()

  next(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts.set(name, count)
    return count === 1 ? name : `${name}#${count}`
  }

  /** Runs work that must be the only one of its name: of two at once, nobody could say which result is whose. */
  async exclusive<T>(name: string, label: string, work: (key: string) => Promise<T>): Promise<T> {
    if (this.#active.has(name))
      throw new StepError(
        'step_name_in_use',
        `Two ${label} run at once. Give each a name of its own, for example with the id of its item.`,
      )
    this.#active.add(name)
    try {
      return await work(this.next(name))
    } finally {
      this.#active.delete(name)
    }
  }
}

/** Throws unless the log can hold the name. `#` separates a name from its number. */
const checkStepName = (name: unknown, method: string): void => {
  if (typeof name === 'string' && name !== '' && name.length <= STEP_NAME_CHARS_MAX && !name.includes('#')) return
  throw new StepError(
    'step_name_invalid',
    `${method} takes a name first: a text of 1 to ${STEP_NAME_CHARS_MAX} characters without "#".`,
  )
}

/** Throws unless a signal can have the name: on every wire it is an id, so nobody could answer a wait for another. */
const checkSignalName = (name: unknown): void => {
  if (isId(name)) return
  throw new StepError(
    'step_name_invalid',
    'session.waitFor() takes the name of a signal first: 1 to 128 letters, digits and . _ : @ - in any order, but not . or .. alone.',
  )
}
