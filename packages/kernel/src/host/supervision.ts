// Supervision opens the sessions that have something to do although no caller asks: a dead owner left an effect in hand, or a
// moment of the session has come. A live session has a timer for its moments, which does not see the wall clock jump.
import type { Key } from '../event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Directory } from '../ports/directory.ts'
import type { LiveSessions } from './live-sessions.ts'

/** A host looks for due sessions this often: retries and expiries are given in seconds. */
export const SUPERVISE_MS = 1_000
/** The wall clock jumped when this much of it passed between two rounds: a round takes less, also on a busy machine. */
const CLOCK_JUMP_MS = 10_000
/** Rounds between two reports of a directory that keeps failing: one line of the log in a minute. */
export const FAULT_REPORT_ROUNDS = 60
/** Sessions opened per supervisor round. */
const DUE_PAGE = 200

export interface SupervisionPorts {
  readonly clock: Clock
  readonly directory: Pick<Directory, 'due' | 'inHand'>
  readonly live: LiveSessions
  readonly onFault: (cause: unknown) => void
}

export class Supervision {
  readonly #ports: SupervisionPorts
  #clearTimer: (() => void) | null = null
  #lastRoundAt = 0
  /** Rounds that failed in a row. */
  #failures = 0
  #stopped = false

  constructor(ports: SupervisionPorts) {
    this.#ports = ports
  }

  /** Resolves when everything that the last owner left is open; from then on it looks again and again. */
  async start(): Promise<void> {
    const { quarantine } = this.#ports.live
    quarantine.collect()
    try {
      await this.resumeWork()
    } finally {
      quarantine.settle()
    }
    this.#lastRoundAt = this.#ports.clock.now()
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    this.#clearTimer?.()
  }

  /** Opens the sessions whose last owner left an effect unfinished, and those that are due. */
  async resumeWork(): Promise<void> {
    await this.#openEach((limit) => this.#ports.directory.inHand(limit))
    await this.openDue()
  }

  openDue(): Promise<void> {
    const { clock, directory } = this.#ports
    return this.#openEach((limit) => directory.due(clock.now(), limit))
  }

  #schedule(): void {
    if (!this.#stopped) this.#clearTimer = this.#ports.clock.after(SUPERVISE_MS, () => void this.#round())
  }

  /** A round that fails is reported, and the next one follows: the directory may be there again. */
  async #round(): Promise<void> {
    try {
      const { live } = this.#ports
      this.#tickAfterJump()
      if (!live.checkStore()) {
        live.memory.relieve()
        await this.openDue()
      }
      this.#failures = 0
    } catch (cause) {
      if (this.#failures++ % FAULT_REPORT_ROUNDS === 0) this.#ports.onFault(cause)
    }
    this.#schedule()
  }

  /** Timers do not see the wall clock jump: a tick does the work that is due by the wall clock. */
  #tickAfterJump(): void {
    const { clock, live } = this.#ports
    const now = clock.now()
    if (now - this.#lastRoundAt > CLOCK_JUMP_MS)
      for (const session of live.sessions) session.send({ type: 'tick' }).catch(() => {})
    this.#lastRoundAt = now
  }

  /** Opens the sessions of a list that sleep. Opening ticks them; live ones have timers. */
  async #openEach(list: (limit: number) => Promise<Key[]>): Promise<void> {
    const { live } = this.#ports
    for (let passed = 0; !this.#stopped; ) {
      // Sessions that are live or cannot be opened stay in the list: ask for as many more.
      const limit = DUE_PAGE + passed
      const keys = await list(limit)
      const asleep = keys.filter((key) => live.isAsleep(key))
      await Promise.all(asleep.map((key) => live.open(key).catch(() => {})))
      if (keys.length < limit) return
      passed = keys.length
    }
  }
}
