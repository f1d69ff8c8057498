// The time from a prompt to the engine's first token, and the product's part of it. The whole product with its sandbox runs
// beside the engine alone: the same SDK, the same process of Claude Code, the same stub of the provider.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startAnthropicStub, stubbed } from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { claudeEngine } from '@bridle/runners/engines/claude/claude'
import type { EngineSession, TurnReporter } from '@bridle/runners/engines/engine'
import { fetchEngines } from '@bridle/runners/engines/engines.suite'
import type { EngineStarter } from '@bridle/runners/sandboxes/isolation/engine-start'
import { type BenchFigure, figure, interleave } from './figure.ts'
import { startHopTimings } from './hops.ts'

const TURNS = 12
/** The most that the product may add, at the median. */
const OURS_MS = 10
const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url))

export const runner = async (): Promise<BenchFigure[]> => {
  const engines = fetchEngines()
  if ('missing' in engines) {
    console.error(`Left out: ${engines.missing}`)
    return []
  }
  process.env.BRIDLE_ENGINES = engines.folder
  const stub = await startAnthropicStub()
  const folder = mkdtempSync(join(tmpdir(), 'bridle-bench-'))
  const product = await ProductServer.start(folder, stub.url, engines.folder)
  const bare = new BareEngine(folder, stub.url)
  const [instant, stopInstant] = await ProductServer.withInstantEngine(folder)
  const key = await startHopTimings(stub.url)
  try {
    const cold = await interleave({
      product: { run: () => product.cold() },
      engine: { run: () => bare.cold() },
    })
    await product.warmUp()
    await bare.warmUp()
    const warm = await interleave({
      product: { run: () => product.warm() },
      engine: { run: () => bare.warm() },
    })
    await instant.warmUp()
    const own = await interleave({
      instant: { run: () => instant.warm() },
      hops: { run: async () => ({ value: await key.through(), verified: true }) },
      direct: { run: async () => ({ value: await key.direct(), verified: true }) },
    })
    // The product's part: a turn of an engine that answers at once, and the detour through the credential proxy.
    const added = own.values.instant!.map(
      (value, round) => value + own.values.hops![round]! - own.values.direct![round]!,
    )
    const memory = await interleave({
      product: { run: async () => ({ value: product.memory(), verified: product.memory() > 0 }) },
      engine: { run: async () => ({ value: bare.memory(), verified: bare.memory() > 0 }) },
    })
    const ours = { values: { added, allowed: added.map(() => OURS_MS) }, verified: { added: true, allowed: true } }
    return [
      {
        ...figure(ours, ['added', 'allowed'], {
          id: 'E1',
          what: 'ms from submit to first token that are ours, warm / 10 ms',
          target: 1,
          better: 'lower',
        }),
      },
      figure(warm, ['product', 'engine'], {
        id: 'E2',
        what: 'submit to first token, warm / the engine alone',
        target: 2,
        better: 'lower',
      }),
      figure(cold, ['product', 'engine'], {
        id: 'E3',
        what: 'first token of a new session, sandbox and all / the engine alone',
        target: 3,
        better: 'lower',
      }),
      figure(memory, ['product', 'engine'], {
        id: 'E4',
        what: 'resident MB of a warm session, runner and engine / the engine alone',
        target: 1.6,
        better: 'lower',
      }),
    ]
  } finally {
    await bare.close()
    await product.close()
    await instant.close()
    await stopInstant()
    await key.close()
    await stub.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const prompt = () => stubbed({ blocks: [{ text: 'A short answer.' }] })
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

class ProductServer {
  readonly #url: string
  readonly #folder: string
  readonly #stop: () => Promise<void>
  #sessions = 0

  static async start(folder: string, stub: string, engines: string): Promise<ProductServer> {
    return ProductServer.#serve(join(folder, 'data'), {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: stub,
      BRIDLE_ENGINES: engines,
    })
  }

  static async withInstantEngine(folder: string): Promise<[ProductServer, () => Promise<void>]> {
    const [url, stop] = await ready([fileURLToPath(new URL('./instant-runner.ts', import.meta.url))], {})
    return [
      await ProductServer.#serve(join(folder, 'instant'), { ANTHROPIC_API_KEY: 'k', BRIDLE_RUNNER_URL: url }),
      stop,
    ]
  }

  static async #serve(data: string, env: NodeJS.ProcessEnv): Promise<ProductServer> {
    const [url, stop] = await ready([main, 'start', '--port', '0', '--data', data], { ...env, BRIDLE_LOG: 'error' })
    return new ProductServer(url, data, stop)
  }

  private constructor(url: string, folder: string, stop: () => Promise<void>) {
    this.#url = url
    this.#folder = folder
    this.#stop = stop
  }

  async cold() {
    return { value: await this.#turn(`cold-${++this.#sessions}`), verified: true }
  }

  async warmUp(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await this.#turn('warm')
  }

  async warm() {
    const times: number[] = []
    for (let turn = 0; turn < TURNS; turn++) times.push(await this.#turn('warm'))
    return { value: median(times), verified: times.length === TURNS }
  }

  memory(): number {
    const box = this.#boxes().find(({ key }) => key.id === 'warm')
    return box ? treeMb(box.pid) : 0
  }

  async close(): Promise<void> {
    const boxes = this.#boxes()
    await this.#stop()
    for (const { pid } of boxes) process.kill(-pid, 'SIGKILL')
  }

  #boxes(): { pid: number; key: { id: string } }[] {
    const folder = join(this.#folder, 'sandboxes')
    if (!existsSync(folder)) return []
    return readdirSync(folder).map((id) => JSON.parse(readFileSync(join(folder, id, 'record.json'), 'utf8')))
  }

  /** Time from the request that submits the prompt to the first token on a stream that is open already. */
  async #turn(id: string): Promise<number> {
    const agent = `${this.#url}/agents/claude/${id}`
    const leave = new AbortController()
    const stream = await fetch(`${agent}/stream?replay=none`, { signal: leave.signal })
    const began = performance.now()
    const asked = fetch(agent, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: prompt() }),
    })
    let text = ''
    let took = 0
    for await (const bytes of stream.body!) {
      text += Buffer.from(bytes).toString()
      if (!text.includes('"text_delta"')) continue
      took = performance.now() - began
      break
    }
    leave.abort()
    const { result } = (await (await asked).json()) as { result?: string }
    if (result !== 'A short answer.' && result !== 'done') throw new Error(`The answer was ${result}.`)
    return took
  }
}

/** The engine alone, in this process, set up like in the runner. */
class BareEngine {
  readonly #folder: string
  readonly #url: string
  #session: EngineSession | null = null
  #count = 0

  constructor(folder: string, url: string) {
    this.#folder = folder
    this.#url = url
  }

  async cold() {
    const name = join(this.#folder, `bare-${++this.#count}`)
    const began = performance.now()
    const session = await this.#open(name)
    const value = await this.#turn(session, began)
    await session.close()
    return { value, verified: true }
  }

  async warmUp(): Promise<void> {
    this.#session = await this.#open(join(this.#folder, 'bare-warm'))
    for (let turn = 0; turn < 3; turn++) await this.#turn(this.#session, performance.now())
  }

  async warm() {
    const times: number[] = []
    for (let turn = 0; turn < TURNS; turn++) times.push(await this.#turn(this.#session!, performance.now()))
    return { value: median(times), verified: times.length === TURNS }
  }

  memory(): number {
    return childrenOf(process.pid)
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('claude'))
      .reduce((sum, pid) => sum + treeMb(pid), 0)
  }

  async close(): Promise<void> {
    await this.#session?.close()
  }

  #open(name: string): Promise<EngineSession> {
    execFileSync('mkdir', ['-p', join(name, 'work')])
    const folders = {
      workFolder: join(name, 'work'),
      stateFolder: join(name, 'state'),
      privateFolder: join(name, 'private'),
    }
    const start: EngineStarter = ({ file, args, ...options }) => spawn(file, args, options)
    const launcher = async () => ({ start, baseUrl: this.#url })
    return claudeEngine().open({ ...folders, launcher, resume: null, settings: {} })
  }

  async #turn(session: EngineSession, began: number): Promise<number> {
    let took = 0
    const turn: TurnReporter = {
      report: (event) => {
        if (event.type === 'assistant.delta' && took === 0) took = performance.now() - began
        return 1
      },
      waitForRoom: async () => {},
      waitForAcknowledgement: async () => {},
      requestApproval: async () => ({ decision: 'denied', reason: 'no' }),
    }
    const end = await session.play(prompt(), turn)
    if (end.kind !== 'completed') throw new Error(JSON.stringify(end))
    return took
  }
}

/** A process, its address and its end. */
const ready = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<[string, () => Promise<void>]> => {
  const child = spawn(process.execPath, ['--conditions=bridle-source', ...args], { env: { ...process.env, ...env } })
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, found] = /ready at (\S+)/.exec(line) ?? []
      if (found) resolve(found)
    })
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  return [url, stop]
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
      } catch {
        return false
      }
    })

/** Resident memory of a process and all below it, shared pages counted by their share. */
const treeMb = (pid: number): number => ownMb(pid) + childrenOf(pid).reduce((sum, child) => sum + treeMb(child), 0)

/** 0 for a process that has just ended: a runner starts short ones to measure its disk. */
const ownMb = (pid: number): number => {
  try {
    const [, pss = '0'] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
    return Number(pss) / 1024
  } catch {
    return 0
  }
}
