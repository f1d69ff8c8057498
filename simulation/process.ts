// A process: a kernel Host whose timers, calls and messages all pass through here. After a crash no timer fires, no call returns
// and no message leaves; its objects stay in memory and do nothing.

import { scriptedRunner } from '@bridle/agents/in-process/scripted'
import { hashText } from '@bridle/events/json'
import { type Key, keyText } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import type { MemoryStore } from '@bridle/kernel/memory/memory-store'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { Session } from '@bridle/kernel/session/session'
import { EPOCH_MS, fail, note, type SimulationContext } from './ground.ts'
import { nativeRunners } from './native-agents.ts'
import type { NativeEffects } from './native-effects.ts'
import type { Prng } from './prng.ts'
import type { SimulatedRemoteRunner } from './remote.ts'
import { remoteRunner } from './remote-runner.ts'
import { faultyStore } from './store-faults.ts'

/** Small, so that the short sessions of a run also take snapshots, and branches share them. */
const SNAPSHOT_EVERY = 15

export class SimulatedProcess {
  readonly name: string
  readonly epoch: number
  readonly host: Host
  readonly clock: Clock
  /** Sessions that clients reached in this process. */
  readonly sessions = new Set<Session>()
  readonly onEnd: (() => void)[] = []
  alive = true
  stopping = false
  offset: number
  #frozenUntil = 0
  readonly #ground: SimulationContext

  constructor(
    ground: SimulationContext,
    name: string,
    store: MemoryStore,
    remote: SimulatedRemoteRunner,
    effects: NativeEffects,
    tokenPaceMs: number,
    offset: number,
  ) {
    this.#ground = ground
    this.name = name
    this.epoch = store.epoch
    this.offset = offset
    this.clock = {
      now: () => Math.floor(EPOCH_MS + ground.schedule.now + this.offset),
      after: (ms, call) => this.later(ms, call),
    }
    const digest: Digest = (text) => this.outside(async () => hashText(text))
    const { log, directory } = faultyStore(ground, this, store)
    const runners = {
      scripted: scriptedRunner({ clock: this.clock, digest }),
      remote: remoteRunner(ground, this, remote),
      ...nativeRunners(this, effects, digest, ground.breakFunctions !== true),
    }
    this.host = new Host({
      log,
      directory,
      clock: this.clock,
      digest,
      tokenPaceMs,
      snapshotEvery: SNAPSHOT_EVERY,
      runner: (agent) => (Object.hasOwn(runners, agent) ? runners[agent as keyof typeof runners] : null),
      onFault: (key, cause) => this.#onFault(key, cause),
    })
  }

  get random(): Prng {
    return this.#ground.prng
  }

  get deposed(): boolean {
    return this.epoch < this.#ground.data.epoch
  }

  start(): void {
    note(this.#ground, `${this.name} starts, epoch ${this.epoch}`)
    this.host.start().catch((cause: unknown) => this.end(`could not start: ${String(cause)}`))
  }

  end(why: string): void {
    if (!this.alive) return
    this.alive = false
    note(this.#ground, `${this.name} ends: ${why}`)
    for (const call of this.onEnd) call()
  }

  /** Hands over its sessions, as on SIGTERM, and ends a little later. */
  stop(): void {
    this.stopping = true
    note(this.#ground, `${this.name} stops`)
    this.host.stop().then(
      () => this.later(1, () => this.end('stopped')),
      (cause: unknown) => fail(this.#ground, 'invariant', `stop failed: ${String(cause)}`),
    )
  }

  freeze(ms: number): void {
    note(this.#ground, `${this.name} stands still for ${ms}`)
    // Never sooner than the last message, or the next one would overtake it.
    this.#frozenUntil = Math.max(this.#frozenUntil, this.#ground.schedule.now + ms)
  }

  later(ms: number, call: () => void): () => void {
    const { schedule } = this.#ground
    let forget = schedule.after(ms, () => {
      if (!this.alive) return
      if (schedule.now < this.#frozenUntil) forget = this.later(this.#frozenUntil - schedule.now, call)
      else call()
    })
    return () => forget()
  }

  /** A call to another place: its effect happens at one moment, and the answer arrives later, if this process still lives. */
  outside<T>(act: () => Promise<T>, latencyMs: () => number = () => this.#ground.prng.int(0, 3)): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.alive) return
      this.#ground.schedule.after(latencyMs(), () => {
        // The call takes effect although the caller has crashed.
        if (!this.alive && this.#ground.prng.chance(0.5)) return
        act().then(
          (value) => this.later(latencyMs(), () => resolve(value)),
          (cause: unknown) => this.later(latencyMs(), () => reject(cause)),
        )
      })
    })
  }

  #onFault(key: Key | null, cause: unknown): void {
    if (!this.alive) return
    if (!key) return note(this.#ground, `${this.name} cannot look for due sessions: ${String(cause)}`)
    note(this.#ground, `${this.name} drops ${keyText(key)}: ${String(cause)}`)
    const expected = cause instanceof StoreFault && (expectedCodes.has(cause.code) || /parent/.test(cause.message))
    if (expected || this.deposed) return
    fail(
      this.#ground,
      'invariant',
      `${keyText(key)} was dropped: ${cause instanceof Error ? cause.stack : String(cause)}`,
    )
  }
}

/** Never resolves in a process that is gone. */
export const pause = (process: SimulatedProcess, ms: number): Promise<void> =>
  new Promise((resolve) => process.later(ms, resolve))

/** Beside these, the store may refuse a branch whose parent was removed in the meantime. */
const expectedCodes = new Set(['fenced', 'full', 'outcome_unknown'])
