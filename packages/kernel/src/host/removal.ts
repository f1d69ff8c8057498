// The removal of sessions: readers are told, nothing more is written, and no session of the same key opens before the runner of
// the removed one has let go.
import { type Refusal, refuse } from '../commands.ts'
import { type Key, keyText } from '../event.ts'
import { ownerOf } from '../owner.ts'
import type { Clock } from '../ports/clock.ts'
import type { Job, Runner } from '../ports/runner.ts'
import { hasFaultCode, StoreFault } from '../ports/store-fault.ts'
import type { Run } from '../projections/lifecycle-state.ts'
import type { Session } from '../session/session.ts'
import type { HostPorts } from './host.ts'
import type { LiveSessions } from './live-sessions.ts'

/** A runner may take this long to let go of a removed session, before the next session of that id may open. */
const RELEASE_MS = 10_000

export interface RemovalPorts extends Pick<HostPorts, 'log' | 'directory' | 'clock' | 'runner' | 'rows'> {
  readonly live: LiveSessions
}

export class Removal {
  readonly #ports: RemovalPorts
  readonly #inProgress = new Map<string, Promise<boolean>>()
  /** Sessions that were dropped because they are removed, and whether the removal took place. */
  readonly #erasures = new WeakMap<Session, Promise<boolean>>()

  constructor(ports: RemovalPorts) {
    this.#ports = ports
  }

  /** Erases a session; false = there is none. A run in progress is stopped. */
  async remove(key: Key): Promise<boolean> {
    const { live } = this.#ports
    const name = keyText(key)
    // A session that cannot be opened can still be removed.
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

  /** Resolves when no removal of the session is in progress: opened earlier, it would live on in memory alone. */
  async settled(key: Key): Promise<void> {
    await this.#inProgress.get(keyText(key))?.catch(() => {})
  }

  /**
   * A command that meets the removal of its session is erased with it, written or not. A branch that the store refuses because
   * its parent was removed finds no parent.
   */
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
      // Only now: had the removal failed, the run would have been stopped without the log's knowledge.
      if (removed) await releaseRemovedSession({ runner: runner(key.agent), clock }, key, run, session?.epoch ?? 0)
      return removed
    } finally {
      this.#inProgress.delete(keyText(key))
    }
  }

  /** Only the directory knows the owner of a session that cannot be opened. */
  async #ownerOf(key: Key, session: Session | null): Promise<string | null> {
    if (session) return ownerOf(key, session.state)
    const entries = await this.#ports.directory.find(key.tenant, key.id)
    return entries.find((entry) => entry.key.agent === key.agent)?.owner ?? null
  }

  async #erase(key: Key): Promise<boolean> {
    const { log, live } = this.#ports
    const session = await live.loaded(key)
    if (!session) return log.remove(key)
    // An append on its way to the store lands before the removal: after it, the next session of this key would find it.
    const erasure = session.drained.then(() => log.remove(key))
    this.#erasures.set(session, erasure)
    session.drop(new StoreFault('fenced', 'The session was removed.'), 'removed')
    return erasure
  }
}

/** The runner of a removed session stops its run and deletes its files. One that does not answer delays the removal for a bounded time. */
const releaseRemovedSession = (
  { runner, clock }: { readonly runner: Runner | null; readonly clock: Clock },
  key: Key,
  run: Run | null,
  epoch: number,
): Promise<void> =>
  new Promise((resolve) => {
    const clearTimer = clock.after(RELEASE_MS, resolve)
    stopAndForget(runner, key, run && jobOf(key, run, epoch))
      .catch(() => {})
      .finally(() => {
        clearTimer()
        resolve()
      })
  })

const stopAndForget = async (runner: Runner | null, key: Key, job: Job | null): Promise<void> => {
  try {
    if (job) await runner?.abort(job)
  } finally {
    await runner?.forget?.(key)
  }
}

/** As much of a job as a runner needs to stop it. */
const jobOf = (key: Key, { runId, attempt, handle }: Run, epoch: number): Job => ({
  ...{ key, epoch, runId, attempt, handle },
  ...{ prompt: '', input: null, resume: null, parent: null, settings: {}, frame: -1, awaiting: [] },
})
