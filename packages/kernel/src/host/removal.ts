// Readers are closed, nothing more is written, and no session with the same key opens before the runner has released the old one.
import { type Refusal, refuse } from '../commands.ts'
import { type Key, keyText } from '../event.ts'
import { ownerOf } from '../owner.ts'
import { settledWithin } from '../ports/clock.ts'
import type { Job, Runner } from '../ports/runner.ts'
import { hasFaultCode, StoreFault } from '../ports/store-fault.ts'
import type { Run } from '../projections/lifecycle-state.ts'
import type { Session } from '../session/session.ts'
import type { HostPorts } from './host.ts'
import type { LiveSessions } from './live-sessions.ts'

/** After this, the next session under the key may open even if the runner has not released the old one. */
const RELEASE_MS = 10_000

export interface RemovalPorts extends Pick<HostPorts, 'log' | 'directory' | 'clock' | 'runner' | 'rows'> {
  readonly live: LiveSessions
}

export class Removal {
  readonly #ports: RemovalPorts
  readonly #inProgress = new Map<string, Promise<boolean>>()
  /** Dropped sessions, and whether their removal succeeded. */
  readonly #erasures = new WeakMap<Session, Promise<boolean>>()

  constructor(ports: RemovalPorts) {
    this.#ports = ports
  }

  async remove(key: Key): Promise<boolean> {
    const { live } = this.#ports
    const name = keyText(key)
    // Corrupt sessions can be removed, too.
    const session = await live.find(key).catch((cause: unknown) => {
      if (hasFaultCode(cause, 'corrupt')) return undefined
      throw cause
    })
    if (session === null) return false
    const removal = this.#inProgress.get(name) ?? this.#eraseAndRelease(key, session ?? null)
    this.#inProgress.set(name, removal)
    try {
      const removed = await removal
      live.forgetFaults(key)
      return removed
    } catch (cause) {
      live.reopenLater(key)
      throw cause
    }
  }

  /** Waits for a removal in progress: a session opened before its end would exist only in memory. */
  async settled(key: Key): Promise<void> {
    await this.#inProgress.get(keyText(key))?.catch(() => {})
  }

  /** A command that races with the removal of its session is refused, even if written. So is a branch of a removed parent. */
  async unlessErased<T>(session: Session, send: () => Promise<T>, parent?: Session): Promise<T | Refusal> {
    try {
      return await send()
    } catch (cause) {
      const erased = parent && hasFaultCode(cause, 'refused') ? parent : session
      const isErased = await this.#erasures.get(erased)?.catch(() => false)
      if (!isErased) throw cause
      return refuse('session_not_found')
    }
  }

  async #eraseAndRelease(key: Key, session: Session | null): Promise<boolean> {
    const { clock, runner, rows } = this.#ports
    const run = session?.state.lifecycle.run ?? null
    const isObserved = rows?.isObserved(key.tenant) ?? false
    try {
      const owner = isObserved ? await this.#ownerOf(key, session) : null
      const removed = await this.#erase(key)
      if (removed && isObserved)
        rows?.observe({ key, owner, head: session?.state.head ?? 0, incarnation: 1, row: null, before: null })
      const job = run && jobOf(key, run, session?.epoch ?? 0)
      // Only after the log is removed: a failed removal must leave the run alone.
      if (removed) await settledWithin(clock, RELEASE_MS, () => stopAndForget(runner(key.agent), key, job))
      return removed
    } finally {
      this.#inProgress.delete(keyText(key))
    }
  }

  /** Sessions that cannot be opened still have an owner in the directory. */
  async #ownerOf(key: Key, session: Session | null): Promise<string | null> {
    if (session) return ownerOf(key, session.state)
    const entries = await this.#ports.directory.find(key.tenant, key.id)
    return entries.find((entry) => entry.key.agent === key.agent)?.owner ?? null
  }

  async #erase(key: Key): Promise<boolean> {
    const { log, live } = this.#ports
    const session = await live.loaded(key)
    if (!session) return log.remove(key)
    // Let pending appends land first: afterwards, the next session under this key would contain them.
    const erasure = session.drained.then(() => log.remove(key))
    this.#erasures.set(session, erasure)
    session.drop(new StoreFault('fenced', 'The session was removed.'), 'removed')
    return erasure
  }
}

const stopAndForget = async (runner: Runner | null, key: Key, job: Job | null): Promise<void> => {
  try {
    if (job) await runner?.abort(job)
  } finally {
    await runner?.forget?.(key)
  }
}

/** The minimum that a runner needs to stop the job. */
const jobOf = (key: Key, { runId, attempt, handle }: Run, epoch: number): Job => ({
  ...{ key, epoch, runId, attempt, handle },
  ...{ prompt: '', input: null, resume: null, parent: null, settings: {}, frame: -1, awaiting: [] },
})
