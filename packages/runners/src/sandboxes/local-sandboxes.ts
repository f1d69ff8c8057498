// Sandboxes on this machine: one runner process per session, started when it is first needed and kept while it is
// likely to be asked again. They outlive the server: a run continues through a crash, and the next process finds it.

import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { type Key, keyText } from '@bridle/kernel/event'
import { KeyedMutex } from '../calls/keyed-mutex.ts'
import { reuseResult } from '../calls/reusable-result.ts'
import { endStrayProcesses, processStatus } from '../process/sandbox-processes.ts'
import { KEEP_MS, type RunnerHealth } from '../protocol/protocol.ts'
import type { RunnerFetch, Sandbox, SandboxProvider } from '../remote/provider.ts'
import { NoFreeSandboxError } from '../remote/sandbox-queue.ts'
import { SessionFolders } from './folders/session-folders.ts'
import { workPlace } from './folders/session-paths.ts'
import { resolveIsolation } from './isolation/isolation.ts'
import { engineFolders, runnerCommand } from './isolation/runner-command.ts'
import { accessProblem, sandboxUser } from './isolation/sandbox-user.ts'
import {
  adoptSandbox,
  endSandbox,
  healthOf,
  healthWithRetries,
  type LocalSandbox,
  RUNNER_URL,
  truncateOutput,
} from './local-sandbox.ts'
import { type LocalSandboxOptions, type LocalSandboxSettings, withSandboxDefaults } from './local-sandbox-options.ts'
import { sweepPlaceholders } from './protection/placeholders.ts'
import { leasesOf } from './protection/server-projects.ts'
import { findDelegatedCgroup } from './resources/cgroup-delegation.ts'
import { RESOURCE_LIMITS } from './resources/resource-limits.ts'
import { askHealth, putEnv } from './runner-calls.ts'
import { launchRunner } from './runner-launch.ts'
import { type SandboxRecord, SandboxRecords } from './sandbox-records.ts'

/** A server that died may be started again; its runners keep their runs until then. */
const ORPHAN_MS = 20 * 60_000
/** The interval at which a sandbox in place is asked whether its run has ended: a person may edit files soon after it. */
const WRITING_CHECK_MS = 1_000

/** Sandboxes on this machine: each session has a process and a folder, isolated unless the `backend` is `process`. */
export class LocalSandboxes implements SandboxProvider {
  readonly #options: LocalSandboxSettings
  readonly #folder: string
  readonly #folders: SessionFolders
  /** Looked up before the first child process: the kernel delegates no cgroup that also has processes. */
  readonly #cgroup = findDelegatedCgroup()
  readonly #records: SandboxRecords
  readonly #sandboxes = new Map<string, LocalSandbox>()
  readonly #mutex = new KeyedMutex()
  readonly #timer: NodeJS.Timeout
  readonly #writingTimer: NodeJS.Timeout
  /** A missing program may be installed while the server runs. */
  readonly #isolation = reuseResult(() => resolveIsolation(this.#options))
  /** The number of places reserved for starting sandboxes, and their ids. */
  #starting = 0
  readonly #launching = new Set<string>()
  #isClosed = false

  constructor(options: LocalSandboxOptions) {
    this.#options = withSandboxDefaults(options)
    mkdirSync(options.folder, { recursive: true, mode: 0o700 })
    this.#folder = realpathSync(options.folder)
    const owner = sandboxUser()
    this.#folders = new SessionFolders(this.#folder, { ...(owner && { owner }), ...options.folders })
    this.#records = new SandboxRecords(join(this.#folder, 'sandboxes'))
    for (const id of this.#records.ids()) this.#adopt(this.#records.read(id))
    this.#timer = setInterval(() => void this.sweep().catch(() => {}), this.#options.sweepMs).unref()
    this.#writingTimer = setInterval(() => void this.#endWriting().catch(() => {}), WRITING_CHECK_MS).unref()
  }

  /** Returns the session's sandbox, and starts one where there is none. */
  acquire(key: Key, parent: Key | null = null): Promise<Sandbox> {
    return this.#mutex.run(keyText(key), async () => {
      const there = await this.#findUsable(key)
      if (there) {
        this.#beginWriting(there)
        return this.#toSandbox(there)
      }
      await this.#reservePlace()
      try {
        await this.#folders.prepare(key, parent)
        const box = await this.#start(key)
        box.isAcquiredHere = true
        return this.#toSandbox(box)
      } finally {
        this.#starting -= 1
      }
    })
  }

  /** True where the session has a sandbox. */
  has(key: Key): boolean {
    return [...this.#sandboxesOf(key)].some((box) => !box.ending)
  }

  /** Finds a sandbox by its id, also one of an earlier process; null where it is gone. */
  async find(id: string): Promise<Sandbox | null> {
    const box = this.#sandboxes.get(id) ?? this.#adopt(this.#records.read(id))
    if (!box || box.ending || processStatus(box.record) === 'gone') return null
    return this.#toSandbox(box)
  }

  /** Asks a sandbox for its health; null where it does not answer. */
  health({ url, fetch }: Sandbox): Promise<RunnerHealth | null> {
    return askHealth(url, this.#options.healthMs, fetch)
  }

  /** Sets variables for all runs of a sandbox. False where its runner takes none. */
  async setEnvVars(sandbox: Sandbox, vars: { readonly [name: string]: string | null }): Promise<boolean> {
    const box = this.#sandboxes.get(sandbox.id)
    try {
      const isTaken = await putEnv(sandbox, vars)
      if (box) box.answeredAt = this.#options.now()
      return isTaken
    } catch (error) {
      if (box) box.answeredAt = 0
      // The runner has another token and will never accept ours: the next run gets another sandbox.
      if (box && (error as { status?: unknown } | null)?.status === 401) await this.#end(box)
      throw error
    }
  }

  /** Stops a sandbox. */
  async stop({ id }: Sandbox): Promise<void> {
    const box = this.#sandboxes.get(id) ?? this.#adopt(this.#records.read(id))
    if (box) await this.#end(box)
  }

  /** Removes the sandbox, the work folder and the transcripts of a session. */
  forget(key: Key): Promise<void> {
    return this.#mutex.run(keyText(key), async () => {
      for (const box of this.#sandboxesOf(key)) await this.#end(box)
      endStrayProcesses(this.#folders.folderOf(key))
      await this.#folders.remove(key)
    })
  }

  /** At start-up: ends sandboxes that no live run names, and removes leftovers of sandboxes and sessions that are gone. */
  async reap(
    isLive: (key: Key, sandboxId: string) => Promise<boolean>,
    exists: (key: Key) => Promise<boolean> = async () => true,
  ): Promise<void> {
    const ids = this.#records.ids()
    await Promise.all(
      ids.map(async (id) => {
        if (this.#launching.has(id)) return
        const record = this.#records.read(id)
        const box = this.#sandboxes.get(id) ?? this.#adopt(record)
        // A sandbox that was still starting when its server died has no run.
        if (!box) return record ? this.#endAndRemove(record, null) : this.#records.remove(id)
        if (box.isAcquiredHere) return
        // In doubt keep the sandbox: its runner exits when it is idle.
        const isNamed = processStatus(box.record) !== 'gone' && (await isLive(box.record.key, id).catch(() => true))
        if (!isNamed && !box.isAcquiredHere) await this.#end(box)
      }),
    )
    for (const key of await this.#folders.keys()) {
      // A server may have been killed between removing a session and removing its folder.
      if (!(await exists(key).catch(() => true))) await this.forget(key)
    }
  }

  /** Before a server stops: ends also a busy sandbox whose run is over for its session, such as a cancelled one that has not ended yet. */
  async endUnnamed(isLive: (key: Key, sandboxId: string) => Promise<boolean>): Promise<void> {
    await Promise.all(
      [...this.#sandboxes.values()].map(async (box) => {
        const { key, id } = box.record
        // In doubt the sandbox is kept: the next server asks again.
        if (!(await isLive(key, id).catch(() => true))) await this.#end(box)
      }),
    )
  }

  /** Ends sandboxes that are idle, too old or dead. A timer calls it every `sweepMs`. */
  async sweep(): Promise<void> {
    const { now, idleMs } = this.#options
    await Promise.all(
      [...this.#sandboxes.values()].map(async (box) => {
        truncateOutput(this.#records.folderOf(box.record.id))
        const { usedAt } = box
        const health = await this.#health(box)
        if (health?.busy) box.usedAt = now()
        const isDue = processStatus(box.record) === 'gone' || now() - box.usedAt >= idleMs || this.#isOld(box)
        // Another request may have acquired it meanwhile.
        if (isDue && !health?.busy && box.usedAt === usedAt && !this.#isInGrace(box)) await this.#end(box)
      }),
    )
  }

  /** Ends idle sandboxes. Busy ones keep running: the next process finds them. Resolves with their number. */
  async close(): Promise<number> {
    this.#isClosed = true
    clearInterval(this.#timer)
    clearInterval(this.#writingTimer)
    await this.#mutex.drain()
    await Promise.all(
      [...this.#sandboxes.values()].map(async (box) => {
        const health = await this.#health(box)
        if (health ? !health.busy : processStatus(box.record) === 'gone') await this.#end(box)
      }),
    )
    return this.#sandboxes.size
  }

  /** The time after which a busy sandbox has ended that no server reconnects to: its run is abandoned, then it is idle. */
  get orphanEndMs(): number {
    return KEEP_MS + this.#orphanMs
  }

  get #orphanMs(): number {
    return Math.max(ORPHAN_MS, this.#options.idleMs * 2)
  }

  async #findUsable(key: Key): Promise<LocalSandbox | null> {
    if (this.#isClosed) throw new Error('No sandbox is started: the server is stopping.')
    for (const box of this.#sandboxesOf(key)) {
      if (this.#answeredRecently(box)) {
        box.isAcquiredHere = true
        box.usedAt = this.#options.now()
        return box
      }
      const health = box.ending ? null : await healthWithRetries(box, this.#options.healthMs)
      const isUsable = health?.ok && (health.busy || !this.#isOld(box))
      // Another session may have taken its place during the health check.
      if (isUsable && !box.ending) {
        box.isAcquiredHere = true
        box.usedAt = this.#options.now()
        box.answeredAt = box.usedAt
        return box
      }
      await this.#end(box)
    }
    return null
  }

  /** A runner that answered a moment ago and whose process lives needs no health check; the caller would wait for it. */
  #answeredRecently(box: LocalSandbox): boolean {
    const isRecent = this.#options.now() - box.answeredAt < this.#options.trustMs
    return isRecent && !box.ending && !this.#isOld(box) && processStatus(box.record) === 'alive'
  }

  #health(box: LocalSandbox): Promise<RunnerHealth | null> {
    return healthOf(box, this.#options.healthMs)
  }

  /** Reserves a place; the sandbox that was idle for the longest time ends for it. */
  #reservePlace(): Promise<void> {
    return this.#mutex.run('', () => this.#evictIdle())
  }

  async #evictIdle(): Promise<void> {
    const { max } = this.#options
    const idleFirst = [...this.#sandboxes.values()].filter((box) => !box.ending).sort((a, b) => a.usedAt - b.usedAt)
    for (const box of idleFirst) {
      if (this.#sandboxes.size + this.#starting < max) break
      const { usedAt } = box
      const isBusy = this.#isInGrace(box) || (await this.#health(box))?.busy
      if (!isBusy && box.usedAt === usedAt) await this.#end(box)
    }
    if (this.#sandboxes.size + this.#starting >= max)
      throw new NoFreeSandboxError(`All ${max} sandboxes are busy. The run starts when one is free.`)
    this.#starting += 1
  }

  async #start(key: Key): Promise<LocalSandbox> {
    const { command, env, startMs, now, bwrap } = this.#options
    const found = this.#options.engines?.() ?? null
    const engines = found === null ? null : realpathSync(found)
    const id = `box-${randomBytes(8).toString('hex')}`
    const wanted = {
      id,
      key,
      token: this.#token(id),
      command: command ?? runnerCommand(),
      readOnly: engines ? engineFolders(engines) : [],
      env,
      engines,
      workspace: this.#folders.folderOf(key),
      dataFolder: this.#folder,
      isolation: await this.#isolation(),
      bwrap,
      network: this.#options.network ?? 'none',
      limits: this.#options.limits ?? RESOURCE_LIMITS,
      cgroup: this.#cgroup,
      startMs,
      orphanMs: this.#orphanMs,
      bornAt: now(),
    }
    this.#launching.add(id)
    try {
      return this.#adopt(await launchRunner(wanted, this.#records))
    } finally {
      this.#launching.delete(id)
    }
  }

  /** False: engines are plain processes of this machine. */
  get hasWalls(): boolean {
    return this.#options.backend !== 'process'
  }

  /** Why no sandbox can be started, in a sentence to act on; null = one can. */
  missing(): Promise<string | null> {
    const paths = () => {
      const engines = this.#options.engines?.() ?? null
      return [this.#folder, ...(engines === null ? [] : engineFolders(engines))]
    }
    return this.#isolation().then(
      ({ isContained }) => (isContained ? null : accessProblem(paths())),
      (error: Error) => error.message,
    )
  }

  #adopt(record: SandboxRecord): LocalSandbox
  #adopt(record: SandboxRecord | null): LocalSandbox | null
  #adopt(record: SandboxRecord | null): LocalSandbox | null {
    if (!record?.isReady) return null
    const box = adoptSandbox(record, this.#records.folderOf(record.id), this.#options.now())
    this.#sandboxes.set(record.id, box)
    // A sandbox of an earlier process may still be at work.
    this.#beginWriting(box)
    return box
  }

  #end(box: LocalSandbox): Promise<void> {
    box.ending ??= this.#endAndRemove(box.record, box.fetchRunner).finally(() => {
      this.#sandboxes.delete(box.record.id)
      this.#stopWriting(box)
    })
    return box.ending
  }

  #beginWriting(box: LocalSandbox): void {
    const { path, isInPlace } = workPlace(this.#folders.folderOf(box.record.key))
    if (isInPlace) box.endWriting ??= this.#options.onInPlace?.(path) ?? null
  }

  /** An engine that works in place ends with its run. A session may have given up a run that still plays, so the runner is asked. */
  async #endWriting(): Promise<void> {
    for (const box of this.#sandboxes.values()) {
      if (box.endWriting === null || this.#isInGrace(box)) continue
      const { usedAt } = box
      const health = await this.#health(box)
      if (health && !health.busy && box.usedAt === usedAt) this.#stopWriting(box)
    }
  }

  #stopWriting(box: LocalSandbox): void {
    box.endWriting?.()
    box.endWriting = null
  }

  async #endAndRemove(record: SandboxRecord, fetchRunner: RunnerFetch | null): Promise<void> {
    await endSandbox(record, { fetchRunner, token: this.#token(record.id), stopMs: this.#options.stopMs })
    this.#records.remove(record.id)
    // A runner that was killed left its placeholders in the folder where it worked in place.
    sweepPlaceholders(leasesOf(this.#folder))
  }

  #sandboxesOf(key: Key): LocalSandbox[] {
    return [...this.#sandboxes.values()].filter(({ record }) => keyText(record.key) === keyText(key))
  }

  #isOld({ record }: LocalSandbox): boolean {
    return this.#options.now() - record.bornAt >= this.#options.maxAgeMs
  }

  #isInGrace({ usedAt, record }: LocalSandbox): boolean {
    return processStatus(record) !== 'gone' && this.#options.now() - usedAt < this.#options.graceMs
  }

  #token(id: string): string {
    return createHmac('sha256', this.#options.secret).update(`sandbox:${id}`).digest('base64url')
  }

  #toSandbox({ record: { id, notice }, fetchRunner }: LocalSandbox): Sandbox {
    return { id, url: RUNNER_URL, fetch: fetchRunner, token: this.#token(id), hasRunEnv: true, notice }
  }
}
