// A process: a kernel Host whose every way out leads through here. After a crash no timer fires, no call returns and
// nothing it says is heard; its objects lie where they were, as memory does until somebody else gets it.
import { type Key, keyText } from '../packages/bridle/src/kernel/event.ts'
import { Host } from '../packages/bridle/src/kernel/host/host.ts'
import { hashText } from '../packages/bridle/src/kernel/json.ts'
import { type Clock, type Digest, StoreFault } from '../packages/bridle/src/kernel/ports/store.ts'
import type { Session } from '../packages/bridle/src/kernel/session/session.ts'
import { scriptedRunner } from '../packages/bridle/src/runners/in-process/scripted.ts'
import type { MemoryStore } from '../packages/bridle/src/stores/memory/memory-store.ts'
import { EPOCH_MS, fail, note, type SimulationContext } from './ground.ts'
import type { SimulatedRemoteRunner } from './remote.ts'
import { remoteRunner } from './remote-runner.ts'
import { faultyStore } from './store-faults.ts'

/** Sessions here are short; they take snapshots, and branches share them, all the same. */
const SNAPSHOT_EVERY = 15

export class SimulatedProcess {
  readonly name: string
  readonly epoch: number
  readonly host: Host
  readonly clock: Clock
  /** Sessions that somebody got hold of here. */
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

  /** Lets go in good order, as on SIGTERM, and is gone a little later. */
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
    // Never sooner than before, or what arrives next would overtake what waits.
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

  /** Something done elsewhere: it happens at one moment, and the answer arrives at another, if anybody is left to hear it. */
  outside<T>(act: () => Promise<T>, latencyMs: () => number = () => this.#ground.prng.int(0, 3)): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.alive) return
      this.#ground.schedule.after(latencyMs(), () => {
        // What was sent may be done though the sender is gone.
        if (!this.alive && this.#ground.prng.chance(0.5)) return
        act().then(
          (value) => this.later(latencyMs(), () => resolve(value)),
          (cause: unknown) => this.later(latencyMs(), () => reject(cause)),
        )
      })
    })
  }

  #onFault(key: Key, cause: unknown): void {
    if (!this.alive) return
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

/** Beside these, the store is right to refuse a branch whose parent was removed meanwhile. */
const expectedCodes = new Set(['fenced', 'full', 'outcome_unknown'])
