// The world of a run: processes over one store, a remote runner, clients; and the choice of the next step.
import { type Key, keyText } from '@bridle/kernel/event'
import { type MemoryStore, memoryStore } from '@bridle/kernel/memory/memory-store'
import { isTerminal } from '@bridle/kernel/projections/state'
import { checkLive, checkStep } from './checks.ts'
import { drawFaults } from './faults.ts'
import { EPOCH_MS, note, type SimulationContext } from './ground.ts'
import { StoreModel } from './model.ts'
import { NATIVE_AGENTS, NativeEffects } from './native-effects.ts'
import { Prng } from './prng.ts'
import { SimulatedProcess } from './process.ts'
import { SimulatedRemoteRunner } from './remote.ts'
import { type ClientRequest, ClientRequests } from './requests.ts'
import { VirtualSchedule } from './schedule.ts'
import { WatchingClient } from './streams.ts'
import { drawClientAction } from './wishes.ts'

const DAY_MS = 86_400_000

export interface WorldOptions {
  readonly breakStore?: SimulationContext['breakStore']
  readonly breakFunctions?: boolean
  /** The sessions belong to native agents, whose runs are durable. */
  readonly native?: boolean
}

export class SimulatedWorld {
  readonly ground: SimulationContext
  readonly model: StoreModel
  readonly remote: SimulatedRemoteRunner
  readonly effects: NativeEffects
  readonly requests: ClientRequests
  readonly streams: WatchingClient[] = []
  readonly processes: SimulatedProcess[] = []
  readonly keys: Key[]
  readonly #tokenPaceMs: number
  #store: MemoryStore | null = null
  #offset = 0
  #markers = 0
  #ids = 3
  #restarting = false

  constructor(seed: number, { breakStore, breakFunctions, native = false }: WorldOptions = {}) {
    const prng = new Prng(seed)
    this.ground = {
      prng,
      schedule: new VirtualSchedule(prng),
      data: { sessions: new Map(), tombstones: new Map(), epoch: 0, created: 0 },
      faults: drawFaults(prng),
      outageUntil: 0,
      trace: [],
      violations: [],
      breakStore,
      breakFunctions,
    }
    this.model = new StoreModel(this.ground)
    this.remote = new SimulatedRemoteRunner(this.ground)
    this.effects = new NativeEffects(this.ground, this.model)
    this.requests = new ClientRequests(this.ground, this.model)
    this.#tokenPaceMs = prng.pick([0, 0, 16])
    const ids = ['s1', 's2', 's3'].slice(0, prng.int(1, 3))
    const agents = native ? NATIVE_AGENTS : prng.pick([['scripted'], ['remote'], ['scripted', 'remote']])
    this.keys = agents.flatMap((agent) => ids.map((id) => ({ tenant: 't', agent, id })))
    for (let count = prng.int(1, 4); count > 0; count--) this.#newStream()
    this.startProcess()
  }

  /** The process whose writes count, if it lives. */
  get owner(): SimulatedProcess | null {
    return this.processes.find((process) => process.alive && !process.deposed) ?? null
  }

  get living(): readonly SimulatedProcess[] {
    return this.processes.filter((process) => process.alive)
  }

  startProcess(): SimulatedProcess {
    const { prng, faults } = this.ground
    this.#store = this.#store?.reopen() ?? memoryStore(this.ground.data)
    const skew = faults.skewMs === 0 ? 0 : prng.int(-faults.skewMs, faults.skewMs)
    const name = `p${this.processes.length + 1}`
    const process = new SimulatedProcess(
      this.ground,
      name,
      this.#store,
      this.remote,
      this.effects,
      this.#tokenPaceMs,
      this.#offset + skew,
    )
    this.processes.push(process)
    process.start()
    return process
  }

  /** All clocks, also those of later processes. */
  moveClocks(ms: number): void {
    this.#offset += ms
    for (const process of this.processes) process.offset += ms
  }

  async step(): Promise<void> {
    const { prng, schedule } = this.ground
    this.#restart()
    this.#act()
    for (let turns = prng.pick([0, 1, 2, 5, 10, 30]); turns > 0; turns--) await schedule.step()
    checkStep(this.ground, this.model)
    if (!prng.chance(0.1)) return
    checkLive(this.ground, this.model, this.processes)
    this.model.assertUnchanged()
  }

  /** No process owns the store: sooner or later an operator starts the server again. */
  #restart(): void {
    if (this.owner || this.#restarting) return
    this.#restarting = true
    this.ground.schedule.after(this.ground.prng.pick([0, 100, 5_000]), () => {
      this.#restarting = false
      if (!this.owner) this.startProcess()
    })
  }

  #act(): void {
    const { prng, faults } = this.ground
    const { crash, takeover, stop, jump, outage, freeze } = faults
    const act = prng.weighted({
      wish: 40,
      retry: 12,
      again: 3,
      watch: 10,
      unwatch: 4,
      stall: 1,
      hint: 6,
      wait: 20,
      forget: faults.forget,
      crash,
      takeover,
      stop,
      jump,
      outage,
      freeze,
    })
    this.#acts[act]()
  }

  readonly #acts = {
    wish: () => this.#wish(),
    retry: () => this.#again(this.requests.retryable),
    // A retry although the answer came, or while it is on its way.
    again: () => this.#again(this.requests.all.filter(({ commandId }) => commandId !== null).slice(-5)),
    watch: () => this.#watch(),
    unwatch: () => this.ground.prng.pick(this.streams)?.disconnect(),
    stall: () => this.ground.prng.pick(this.streams)?.stall(),
    hint: () => this.#hint(),
    wait: () => {},
    forget: () => this.remote.forgetOne(),
    crash: () => this.ground.prng.pick(this.living)?.end('crash'),
    takeover: () => {
      if (this.living.length < 3) this.startProcess()
    },
    stop: () => this.ground.prng.pick(this.living)?.stop(),
    jump: () => this.#jump(),
    outage: () => this.#outage(),
    freeze: () => this.ground.prng.pick(this.living)?.freeze(this.ground.prng.pick([5, 500, 20_000])),
  }

  #wish(): void {
    const process = this.#anyProcess()
    if (!process) return
    const { prng } = this.ground
    const marker = `c${++this.#markers}`
    this.#replaceEnded()
    const others = [...this.ground.data.sessions.values()].map(({ key }) => key)
    const known = [...this.keys, ...this.keys, ...others.slice(-4)]
    const wish = drawClientAction(prng, this.model, known, marker, process.clock.now())
    const request: ClientRequest = {
      marker,
      action: wish,
      commandId: wish.kind !== 'remove' && prng.chance(0.6) ? `id-${marker}` : null,
      waiting: 0,
      answered: false,
      answers: [],
    }
    this.requests.send(request, process)
    // Two tabs, or a hasty retry: the same command twice at once, perhaps to two processes.
    const other = this.#anyProcess()
    if (request.commandId && other && prng.chance(0.1)) this.requests.send(request, other)
  }

  /** A session that has ended accepts nothing more, so the next command mostly goes to a new one. */
  #replaceEnded(): void {
    for (const [index, key] of this.keys.entries()) {
      const life = this.model.current(key)
      if (life && isTerminal(life.state) && this.ground.prng.chance(0.2))
        this.keys[index] = { ...key, id: `s${++this.#ids}` }
    }
  }

  #again(from: readonly ClientRequest[]): void {
    const process = this.#anyProcess()
    const request = from.length > 0 ? this.ground.prng.pick(from) : undefined
    if (process && request) this.requests.send(request, process)
  }

  #watch(): void {
    const { prng } = this.ground
    const process = this.#anyProcess()
    if (!process) return
    if (prng.chance(0.2) && this.streams.length < 8) this.#newStream()
    prng.pick(this.streams.filter((stream) => !stream.connected))?.connect(process)
  }

  #newStream(): void {
    const { prng, data } = this.ground
    const key = prng.pick([...this.keys, ...[...data.sessions.values()].map((session) => session.key)])
    const kind = prng.pick(['events', 'events', 'operations'] as const)
    this.streams.push(new WatchingClient(this.ground, this.model, `w${this.streams.length + 1}`, key, kind))
  }

  /** Extra, repeated and late hints change nothing. */
  #hint(): void {
    const process = this.#anyProcess()
    if (!process) return
    const { prng } = this.ground
    const key = prng.pick(this.keys)
    note(this.ground, `a hint to ${process.name} about ${keyText(key)}`)
    const hints = [
      () => process.host.resumeWork(),
      () => process.host.openDue(),
      () => process.host.send(key, { type: 'tick' }),
      () => process.host.open(key).then((session) => process.sessions.add(session)),
    ]
    for (let times = prng.int(1, 2); times > 0; times--)
      process.later(prng.pick([0, 1, 2_000]), () => {
        prng
          .pick(hints)()
          .catch(() => {})
      })
  }

  #jump(): void {
    const ms = this.ground.prng.pick([-DAY_MS, DAY_MS, -1_000, 1_000, -60_000, 60_000])
    note(this.ground, `the clocks jump by ${ms}`)
    this.moveClocks(ms)
  }

  #outage(): void {
    const ms = this.ground.prng.pick([10, 1_000, 10_000])
    note(this.ground, `the store is out for ${ms}`)
    this.ground.outageUntil = this.ground.schedule.now + ms
  }

  /** Mostly the owner; sometimes a process that does not know yet that it was deposed. */
  #anyProcess(): SimulatedProcess | null {
    const { living } = this
    if (living.length === 0) return null
    return this.ground.prng.chance(0.8) ? (this.owner ?? living[0]!) : this.ground.prng.pick(living)
  }

  get wallMs(): number {
    return Math.floor(EPOCH_MS + this.ground.schedule.now + this.#offset)
  }
}
