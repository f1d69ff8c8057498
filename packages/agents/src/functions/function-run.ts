// The run of a function: its history in the log, and whether the function is working or can only wait. A durable function that can only
// wait is evicted: its promises never settle, and it starts again when an answer or a signal arrives. A function with `durable: false`
// is never evicted, and an attempt does not know the attempts before it.

import { READ_PAGE } from '@bridle/events/limits'
import type { ReportItem } from '@bridle/kernel/commands'
import type { AnyEvent } from '@bridle/kernel/event'
import { runSeq } from '@bridle/kernel/ids'
import type { Job } from '@bridle/kernel/ports/runner'
import type { ReportedSession, RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentRunPorts } from '../run-ports.ts'
import { TIMER_MS_MAX } from '../session/limits.ts'
import { type CallScope, createCallScope, noCallScope } from '../steps/call-scope.ts'
import { nestedCallError } from '../steps/errors.ts'
import { RunMemo } from '../steps/memo.ts'

/**
 * Time in which a durable function that can only wait stays in memory: an answer that comes at once costs no new beginning, and a
 * session that waits for a person costs nothing a second later.
 */
const WAIT_GRACE_MS = 1_000
/** Microtasks in which the function may go on after a call of the session that it does not await: a chain of promises needs a few. */
const CONTINUATION_TICKS = 100

/** Branches of branches that continue one turn, whose runs are read: nobody branches deeper in the middle of a turn. */
const CONTINUED_RUNS_MAX = 100

interface PendingWait {
  readonly look: () => boolean
  readonly reject: (reason: unknown) => void
  readonly until: number | null
  /** The run of a function that has returned goes on for it: a person was asked. */
  readonly holdsRun: boolean
  cancelTimer: () => void
}

export class FunctionRun {
  readonly job: Job
  readonly reporter: RunReporter
  readonly ports: AgentRunPorts
  readonly signal: AbortSignal
  readonly isDurable: boolean
  /** Resolves when the function is let go, and never rejects. */
  readonly left: Promise<void>
  readonly scope: CallScope
  /** Empty until `load` has read the log. */
  memo: RunMemo
  readonly #waits = new Set<PendingWait>()
  #working = 0
  #isLeft = false
  #isResting = false
  #hasReportedWaiting = false
  /** How often the run was taken up since it last got further. */
  #resumes = 0
  #cancelTimer: (() => void) | null = null
  #markLeft = () => {}
  #markChanged = () => {}
  #stopFollowing = () => {}

  constructor(job: Job, reporter: RunReporter, ports: AgentRunPorts, signal: AbortSignal, isDurable: boolean) {
    this.job = job
    this.reporter = reporter
    this.ports = ports
    this.signal = signal
    this.isDurable = isDurable
    // The names of calls inside a tool matter only to a function that is replayed.
    this.scope = isDurable ? createCallScope() : noCallScope
    this.memo = new RunMemo(job.runId)
    this.left = new Promise((resolve) => {
      this.#markLeft = resolve
    })
    signal.addEventListener('abort', () => this.#abort(), { once: true })
  }

  /** Nothing waits for the function any more. */
  get isOver(): boolean {
    return this.#isLeft || this.signal.aborted
  }

  get isLeft(): boolean {
    return this.#isLeft
  }

  /** Reads what the log says of a durable run, and follows the log from then on. */
  async load(): Promise<void> {
    if (!this.isDurable) {
      this.#stopFollowing = this.reporter.follow((events) => this.#follow(events))
      return
    }
    const { session } = this.reporter
    const buffered: AnyEvent[] = []
    let receive = (events: readonly AnyEvent[]): void => {
      buffered.push(...events)
    }
    this.#stopFollowing = this.reporter.follow((events) => receive(events))
    const runIds = await continuedRuns(session, this.job.runId)
    this.memo = new RunMemo(this.job.runId, runIds)
    for await (const page of historyPages(session, runIds)) for (const event of page) this.#add(event)
    for (const event of buffered) this.#add(event)
    receive = (events) => this.#follow(events)
  }

  async report(...items: readonly ReportItem[]): Promise<void> {
    await this.reporter.report(items)
  }

  /** Starts a call of the session, and counts it as work. Never settles for a function that was let go or rests; rejects once the run has ended. */
  track<T>(start: () => Promise<T>): Promise<T> {
    const origin = this.scope.current()
    // A tool that has begun may do all that it does.
    const beginsAnew = origin?.kind !== 'call'
    if (this.#isLeft || (this.#isResting && beginsAnew)) return new Promise(() => {})
    const call = this.#orReason(async () => {
      if (origin?.kind === 'step') throw nestedCallError(origin.name)
      this.#working += 1
      this.#plan()
      try {
        return await start()
      } finally {
        this.#working -= 1
        this.#plan()
      }
    })
    const settled = new Promise<T>((resolve, reject) => {
      call.then(
        (value) => this.#isLeft || resolve(value),
        (error) => this.#isLeft || reject(error),
      )
    })
    // A rejected call that the agent does not await must not end the process.
    settled.catch(() => {})
    return settled
  }

  /** Resolves when nothing is left but sleeps and waits for signals: a function that has returned has no use for them. */
  async whenIdle(): Promise<void> {
    do {
      while (this.#isHeld)
        await new Promise<void>((resolve) => {
          this.#markChanged = resolve
        })
      for (let tick = 0; tick < CONTINUATION_TICKS; tick++) await null
    } while (this.#isHeld)
  }

  /** Waits inside a tracked call, until `find` finds something: it is asked after each commit, and at `until`. */
  wait<T>(
    find: () => T | undefined,
    { until = null, holdsRun }: { readonly until?: number | null; readonly holdsRun: boolean },
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason)
      const look = (): boolean => {
        const found = find()
        if (found === undefined) return false
        resolve(found)
        return true
      }
      if (look()) return
      const wait: PendingWait = { look, reject, until, holdsRun, cancelTimer: () => {} }
      this.#waits.add(wait)
      this.#working -= 1
      if (until !== null) this.#lookAt(wait, until)
      this.#plan()
    })
  }

  /** Begins nothing new. Resolves when everything that has begun is in the log. */
  async rest(): Promise<void> {
    this.#isResting = true
    this.#plan()
    await this.left
  }

  /** Ends what the run has taken: its place among the followers, and its timers. */
  close(): void {
    this.#cancelTimer?.()
    this.#stopFollowing()
    for (const { cancelTimer } of this.#waits) cancelTimer()
    this.#waits.clear()
  }

  async #orReason<T>(start: () => Promise<T>): Promise<T> {
    this.signal.throwIfAborted()
    try {
      return await start()
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error
    }
  }

  get #isHeld(): boolean {
    return this.#working > 0 || [...this.#waits].some(({ holdsRun }) => holdsRun)
  }

  #add(event: AnyEvent): void {
    if (event.type === 'run_resumed' && event.run === this.job.runId) this.#resumes = event.payload.times
    this.memo.add(event)
  }

  #follow(events: readonly AnyEvent[]): void {
    const { runId } = this.job
    for (const event of events) {
      this.memo.follow(event)
      if (event.type === 'run_waiting' && event.run === runId) return this.#leave()
    }
    this.#lookAgain()
  }

  #lookAgain(): void {
    if (this.#isLeft || this.#isResting) return
    for (const wait of [...this.#waits]) {
      if (!wait.look()) continue
      wait.cancelTimer()
      this.#waits.delete(wait)
      this.#working += 1
    }
    this.#plan()
  }

  #lookAt(wait: PendingWait, until: number): void {
    const { clock } = this.ports
    wait.cancelTimer = clock.after(Math.min(TIMER_MS_MAX, Math.max(0, until - clock.now())), () => {
      this.#lookAgain()
      if (this.#waits.has(wait)) this.#lookAt(wait, Math.max(until, clock.now() + 1))
    })
  }

  /** Starts or stops the time after which a function that can only wait is let go. */
  #plan(): void {
    this.#markChanged()
    if (!this.isDurable || this.#isLeft || this.signal.aborted) return
    if (this.#isResting) {
      if (this.#working === 0) void this.#leaveAtRest()
      return
    }
    const canOnlyWait = this.#working === 0 && this.#waits.size > 0
    if (!canOnlyWait) {
      this.#cancelTimer?.()
      this.#cancelTimer = null
      return
    }
    // Processes that end one after the other must not count against a run that waits: it says so at once. The session may refuse,
    // for example when its log is ahead of a clock that was set back; then there is a pause before the next time.
    const graceMs = this.#resumes > 1 && !this.#hasReportedWaiting ? 0 : WAIT_GRACE_MS
    this.#cancelTimer ??= this.ports.clock.after(graceMs, () => void this.#reportWaiting())
  }

  async #reportWaiting(): Promise<void> {
    this.#cancelTimer = null
    this.#hasReportedWaiting = true
    const times = [...this.#waits].flatMap(({ until }) => (until === null ? [] : [until]))
    const until = times.length === 0 ? null : Math.min(...times)
    try {
      await this.reporter.report([{ type: 'waiting', until, seen: this.memo.lastSeq }])
    } catch {
      // The run was stopped, or its session left this process: the reporter has told the function so.
      return
    }
    // News came meanwhile, or the time is over.
    this.#lookAgain()
  }

  async #leaveAtRest(): Promise<void> {
    if (this.#isLeft) return
    this.#isLeft = true
    await this.reporter.whenCommitted().catch(() => {})
    this.#markLeft()
  }

  #leave(): void {
    this.#isLeft = true
    this.close()
    this.#markLeft()
  }

  #abort(): void {
    const waits = [...this.#waits]
    this.close()
    for (const { reject } of waits) reject(this.signal.reason)
  }
}

/** The run, and the runs of parents whose turn it continues. */
const continuedRuns = async (session: ReportedSession, runId: string): Promise<ReadonlySet<string>> => {
  const runIds = new Set([runId])
  let next = session.job()?.course?.continuesRun
  for (let n = 0; next !== undefined && n < CONTINUED_RUNS_MAX; n++) {
    runIds.add(next)
    const [prompt] = await session.read((runSeq(next) ?? 1) - 1, 1)
    next = prompt?.type === 'prompt_queued' ? prompt.payload.continues_run : undefined
  }
  return runIds
}

/** The events of a run that are in the log when its function begins. */
async function* historyPages(
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
