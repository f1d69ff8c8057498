// The parts that tests of live sessions share: a clock that stands still, a store that can be held or made to fail, and a
// runner that does what the test says.
import { createHash } from 'node:crypto'
import type { AnyEvent, Key } from '../event.ts'
import { memoryStore } from '../memory/memory-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Digest } from '../ports/digest.ts'
import type { Directory } from '../ports/directory.ts'
import type { Lease, Log, LogAppend } from '../ports/log.ts'
import type { ApprovalAnswer, Job, RunEnd, Runner } from '../ports/runner.ts'
import type { RunReporter } from '../session/run-reporter.ts'
import type { Listener } from '../session/subscribers.ts'
import { Host, type HostPorts } from './host.ts'

export const T0 = 1_700_000_000_000
export const key = (id = 's1'): Key => ({ tenant: 'acme', agent: 'agent', id })
export const digest: Digest = async (text) => createHash('sha256').update(text).digest('hex')

/** Lets everything that needs no time happen. */
export const flushPending = async (turns = 5): Promise<void> => {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export class VirtualClock implements Clock {
  #now = T0
  #elapsed = 0
  #timers: { at: number; call: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#elapsed + ms, call }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  get pending(): number {
    return this.#timers.length
  }

  /** The wall clock is set; no time passes. */
  step(ms: number): void {
    this.#now += ms
  }

  /** Time passes: what falls due happens in order, and what comes of it. */
  async pass(ms: number): Promise<void> {
    await flushPending()
    const end = this.#elapsed + ms
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (!next) break
      this.#timers = this.#timers.filter((each) => each !== next)
      this.#advance(Math.max(this.#elapsed, next.at))
      next.call()
      await flushPending()
    }
    this.#advance(end)
    await flushPending()
  }

  #advance(to: number): void {
    this.#now += to - this.#elapsed
    this.#elapsed = to
  }
}

/** A log between the session and its store: appends are counted, and can be held back or made to fail. */
export class ControlledLog implements Log {
  readonly appends: LogAppend[] = []
  /** Before the write: reject to refuse it. */
  before: (append: LogAppend) => Promise<void> | void = () => {}
  /** After the write: reject to leave the outcome unknown. */
  after: (append: LogAppend) => Promise<void> | void = () => {}
  opened = 0
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  open(...given: Parameters<Log['open']>): Promise<Lease | null> {
    this.opened += 1
    return this.#log.open(...given)
  }

  async append(lease: Lease, append: LogAppend): Promise<void> {
    await this.before(append)
    await this.#log.append(lease, append)
    this.appends.push(append)
    await this.after(append)
  }

  check: NonNullable<Log['check']> = () => this.#log.check?.()
  read: Log['read'] = (...given) => this.#log.read(...given)
  result: Log['result'] = (...given) => this.#log.result(...given)
  remove: Log['remove'] = (...given) => this.#log.remove(...given)
  reserve: Log['reserve'] = (...given) => this.#log.reserve(...given)
}

export interface ManualAttempt {
  readonly how: 'start' | 'attach'
  readonly job: Job
  readonly reporter: RunReporter
  readonly end: (how: RunEnd) => void
  readonly crash: (error: Error) => void
}

/** A runner that starts and then waits for the test. */
export class ManualRunner implements Runner {
  readonly attempts: ManualAttempt[] = []
  readonly aborted: Job[] = []
  readonly answers: ApprovalAnswer[] = []
  readonly steers: string[] = []
  /** An abort waits for this. */
  aborting: Promise<string | null> = Promise.resolve(null)
  readonly forgotten: Key[] = []
  steerable = false
  durable = false
  readonly rested: Job[] = []
  /** A rest waits for this. */
  resting: Promise<void> = Promise.resolve()

  get last(): ManualAttempt {
    return this.attempts.at(-1)!
  }

  async start(job: Job, reporter: RunReporter): Promise<RunEnd> {
    const end = this.#begin('start', job, reporter)
    await reporter.report([{ type: 'started', steer: this.steerable, durable: this.durable, handle: { at: 'here' } }])
    return end
  }

  attach(job: Job, reporter: RunReporter): Promise<RunEnd> {
    return this.#begin('attach', job, reporter)
  }

  async abort(job: Job): Promise<string | null> {
    this.aborted.push(job)
    return this.aborting
  }

  async rest(job: Job): Promise<void> {
    this.rested.push(job)
    await this.resting
  }

  async forget(key: Key): Promise<void> {
    this.forgotten.push(key)
  }

  async answer(_job: Job, answer: ApprovalAnswer): Promise<void> {
    this.answers.push(answer)
  }

  async steer(_job: Job, { text }: { text: string }): Promise<void> {
    this.steers.push(text)
  }

  #begin(how: ManualAttempt['how'], job: Job, reporter: RunReporter): Promise<RunEnd> {
    return new Promise((resolve, reject) => this.attempts.push({ how, job, reporter, end: resolve, crash: reject }))
  }
}

/** A host over a memory store, with everything in the test's hands. `again` is the next process on the same data. */
export const setUp = (more: Partial<HostPorts> = {}, store = memoryStore(), clock = new VirtualClock()) => {
  const log = new ControlledLog(store.log)
  const runner = new ManualRunner()
  const directory: Directory = store.directory
  const faults: unknown[] = []
  const host = new Host({
    log,
    directory,
    clock,
    digest,
    runner: (agent) => (agent === 'nobody' ? null : runner),
    tokenPaceMs: 0,
    onFault: (_key, cause) => faults.push(cause),
    ...more,
  })
  const again = async (other: Partial<HostPorts> = {}) => {
    await host.stop()
    return setUp({ ...more, ...other }, store.reopen(), clock)
  }
  const events = async (where: Key = key(), after = 0) => (await store.log.read(where, after, 100_000)) as AnyEvent[]
  return { host, log, runner, directory, clock, faults, events, again, store }
}

/** A listener that remembers what it was sent, and can be slow. */
export class RecordingListener implements Listener {
  readonly seen: AnyEvent[] = []
  readonly texts: string[] = []
  readonly seqs: number[] = []
  closed: string | null = null
  backlog = 0
  readonly audience: Listener['audience']

  constructor(name = 'all', encoded: () => void = () => {}) {
    this.audience = {
      key: name,
      encode: ({ events }) => {
        encoded()
        return JSON.stringify(events)
      },
    }
  }

  send(text: string, seq: number): void {
    this.texts.push(text)
    this.seqs.push(seq)
    this.seen.push(...(JSON.parse(text) as AnyEvent[]))
  }

  unsent(): number {
    return this.backlog
  }

  close(why: string): void {
    this.closed = why
  }
}

/** A promise to be resolved by the test. */
export const deferred = (): { promise: Promise<void>; release: () => void; fail: (cause: unknown) => void } => {
  let release = () => {}
  let fail: (cause: unknown) => void = () => {}
  const promise = new Promise<void>((resolve, reject) => {
    release = resolve
    fail = reject
  })
  return { promise, release, fail }
}
