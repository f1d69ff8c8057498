// A run as the loop drives it: its definition, its log and its transcript.

import { assert } from '@bridle/kernel/assert'
import type { ReportItem } from '@bridle/kernel/commands'
import type { AnyEvent } from '@bridle/kernel/event'
import type { Job, RunCourse } from '@bridle/kernel/ports/runner'
import { ReporterClosedError, type RunReporter } from '@bridle/kernel/session/run-reporter'
import type { AgentDefinition } from '../agent.ts'
import type { AgentRunPorts } from '../run-ports.ts'
import { NO_SPAN } from '../trace/trace.ts'
import { withDeadline } from './calls/deadline.ts'
import { NO_SKILLS } from './skills/read-skill.ts'
import { Toolset } from './toolset/toolset.ts'
import { Transcript } from './transcript/transcript.ts'

/** Events per read while a run learns what happened before it. */
const CATCH_UP_PAGE = 1_000

export interface LoopControls {
  /** Aborts when the run is cancelled, stopped or over. */
  readonly signal: AbortSignal
  /** Aborts when the process is about to end: the run begins nothing new. */
  readonly rest: AbortSignal
}

export class LoopRun {
  readonly definition: AgentDefinition
  readonly reporter: RunReporter
  readonly ports: AgentRunPorts
  readonly controls: LoopControls
  readonly transcript: Transcript
  /** The instructions of the turn; null: none. Set when the loop begins. */
  instructions: string | null = null
  /** Set when the loop begins. */
  skills = NO_SKILLS
  /** Empty until the loop has opened the sources of its tools. */
  toolset = new Toolset([], [])
  /** Set when the loop begins. */
  span = NO_SPAN
  /** Tokens of requests and of answers in this process. */
  tokens: readonly [number, number] = [0, 0]
  /** The reason with which the run has failed. */
  failure: string | null = null
  /** This process has asked the model: no text of an earlier one is left. */
  hasAsked = false
  /** The events of commits that came while older ones were being read; null: all are read. */
  #waiting: AnyEvent[] | null = []

  constructor(definition: AgentDefinition, reporter: RunReporter, ports: AgentRunPorts, controls: LoopControls) {
    this.definition = definition
    this.reporter = reporter
    this.ports = ports
    this.controls = controls
    const { cache } = reporter.session
    this.transcript = (cache.get(CACHE_KEY) as Transcript | undefined) ?? new Transcript()
    cache.set(CACHE_KEY, this.transcript)
  }

  /** Reads what happened before, and follows the log from there. The returned function ends that. */
  async follow(): Promise<() => void> {
    const { reporter, transcript } = this
    const stop = reporter.follow((events) => {
      if (this.#waiting) this.#waiting.push(...events)
      else for (const event of events) transcript.add(event)
    })
    try {
      do {
        transcript.begin(this.course.since)
        while (transcript.seq < this.course.head) {
          const page = await reporter.session.read(transcript.seq, CATCH_UP_PAGE)
          assert(page.length > 0, 'the log has every event up to its head')
          for (const event of page) transcript.add(event)
        }
        // A transcript that is read anew has forgotten nothing.
      } while (transcript.entries.isBroken)
    } catch (error) {
      stop()
      throw error
    }
    for (const event of this.#waiting ?? []) transcript.add(event)
    this.#waiting = null
    transcript.release()
    return stop
  }

  /** The job as of the last commit. Throws when the run is no longer wanted. */
  get job(): Job {
    const job = this.reporter.session.job()
    if (!job) throw new ReporterClosedError('the run is no longer wanted')
    return job
  }

  get course(): RunCourse {
    const { course } = this.job
    assert(course !== undefined, 'the run of a model agent is durable')
    return course
  }

  get now(): number {
    return this.ports.clock.now()
  }

  get isResting(): boolean {
    return this.controls.rest.aborted
  }

  /** Resolves when the items are in the log, and in the transcript. */
  report(items: readonly ReportItem[]): Promise<void> {
    for (const item of items) if (item.type === 'failed') this.failure = item.reason ?? 'error'
    return this.reporter.report(items)
  }

  /** Work of others that the run waits for has as much time as a tool: a turn must not hang. */
  withinToolTime<T>(work: (signal: AbortSignal) => T | Promise<T>, late: (ms: number) => Error): Promise<T> {
    const { toolMs: ms } = this.definition.limits
    return withDeadline(work, { clock: this.ports.clock, signal: this.controls.signal, ms, error: () => late(ms) })
  }

  /** Resolves after the time, or as soon as the run is to rest. Rejects when it is stopped. */
  pause(ms: number): Promise<void> {
    const { signal, rest } = this.controls
    return new Promise((resolve, reject) => {
      const end = () => {
        cancelTimer()
        signal.removeEventListener('abort', end)
        rest.removeEventListener('abort', end)
        if (signal.aborted) reject(signal.reason)
        else resolve()
      }
      const cancelTimer = this.ports.clock.after(ms, end)
      if (signal.aborted || rest.aborted) return end()
      signal.addEventListener('abort', end)
      rest.addEventListener('abort', end)
    })
  }
}

const CACHE_KEY = 'transcript'
