// Opens sessions that need work without a caller. Timers of live sessions do not notice jumps of the wall clock; rounds do.
import type { Key } from '../event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Directory } from '../ports/directory.ts'
import type { LiveSessions } from './live-sessions.ts'

/** Retries and expiries have a resolution of seconds. */
export const SUPERVISE_MS = 1_000
/** Well above the duration of a round on a busy machine. */
const CLOCK_JUMP_MS = 10_000
/** A log line per minute while the directory keeps failing. */
export const FAULT_REPORT_ROUNDS = 60
/** Bounds one query of the directory. */
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
  #failures = 0
  #stopped = false

  constructor(ports: SupervisionPorts) {
    this.#ports = ports
  }

  /** Resolves when all work of the last owner is open, then polls. */
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

  /** Failed rounds are reported and retried: the directory may recover. */
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

  #tickAfterJump(): void {
    const { clock, live } = this.#ports
    const now = clock.now()
    if (now - this.#lastRoundAt > CLOCK_JUMP_MS)
      for (const session of live.sessions) session.send({ type: 'tick' }).catch(() => {})
    this.#lastRoundAt = now
  }

  /** Opening a session ticks it; live ones have timers. */
  async #openEach(list: (limit: number) => Promise<Key[]>): Promise<void> {
    const { live } = this.#ports
    for (let passed = 0; !this.#stopped; ) {
      // Live and broken sessions stay in the list, so ask for that many more.
      const limit = DUE_PAGE + passed
      const keys = await list(limit)
      const asleep = keys.filter((key) => live.isAsleep(key))
      await Promise.all(asleep.map((key) => live.open(key).catch(() => {})))
      if (keys.length < limit) return
      passed = keys.length
    }
  }
}
