// The reply of one session to many clients: the whole product, with its log on disk, beside the least possible work (the same
// bytes to bare sockets) and beside rivals. Every server runs in a separate process, and all clients in another.
import { type ChildHandle, type ProcessUsage, startChild } from './child.ts'
import type { ReceiveStats } from './fanout-client.ts'
import type { BenchEndpoint, BenchWire, ReplyPlan } from './fanout-reply.ts'
import { fetchPackages, reportSkippedRival } from './fetched.ts'
import { type BenchFigure, type BenchRounds, type BenchVariant, figure, interleave } from './figure.ts'
import { type Rival, rivals as specs } from './rivals.ts'

/** A long reply at a thousand tokens a second. */
const reply: ReplyPlan = { tokens: 2_000, burst: 1, pace: 'by the clock' }
/** Long enough for the size of a write to matter. */
const few: ReplyPlan = { tokens: 400, burst: 1, pace: 'after a pause' }
const fewer: ReplyPlan = { tokens: 120, burst: 1, pace: 'after a pause' }
/** Enough tokens for the compiler to optimize the code that runs once per token. */
const warmUp: ReplyPlan = { tokens: 3_000, burst: 1, pace: 'after a pause' }
const bursts: ReplyPlan = { tokens: 2_400, burst: 8, pace: 'after a pause' }
/** Sockets at most; fewer where the process may open fewer files. */
const IDLE_SOCKETS_MAX = 10_000
const WARM_SOCKETS = 2_000
/** Size of V8's young generation in MiB. Unset, it follows the garbage of the handshakes in steps of tens of megabytes. */
const YOUNG_MIB = 4

interface FanoutCase {
  readonly server: string
  readonly wire: BenchWire
  readonly clients: number
  readonly plan: ReplyPlan
}

interface FanoutMeasurement extends ReceiveStats {
  /** Processor time of the server for one token to one client. */
  readonly cpuNs: number
}

export const fanout = async (): Promise<BenchFigure[]> => {
  const bench = new FanoutBench()
  try {
    const writes = await bench.rounds({
      'raw TCP, 100': { server: 'tcp', wire: 'tcp', clients: 100, plan: few },
      'raw TCP without a log, 100': { server: 'tcp without a log', wire: 'tcp', clients: 100, plan: few },
      'ours WS per token, 100': { server: 'ours per token', wire: 'ws', clients: 100, plan: few },
      'ws.send, 100': { server: 'ws', wire: 'ws', clients: 100, plan: few },
      'ours SSE per token, 100': { server: 'ours per token', wire: 'sse', clients: 100, plan: few },
      'res.write, 100': { server: 'res.write', wire: 'sse', clients: 100, plan: few },
      'ours WS 8 at a time, 100': { server: 'ours per token', wire: 'ws', clients: 100, plan: bursts },
    })
    const many = await bench.rounds({
      'raw TCP, 1000': { server: 'tcp', wire: 'tcp', clients: 1_000, plan: fewer },
      'ours WS per token, 1000': { server: 'ours per token', wire: 'ws', clients: 1_000, plan: fewer },
      'ws.send, 1000': { server: 'ws', wire: 'ws', clients: 1_000, plan: fewer },
      'ours SSE per token, 1000': { server: 'ours per token', wire: 'sse', clients: 1_000, plan: fewer },
      'res.write, 1000': { server: 'res.write', wire: 'sse', clients: 1_000, plan: fewer },
    })
    const rivals = await bench.rivals()
    const replies = await bench.rounds({
      'ours WS, 1': { server: 'ours', wire: 'ws', clients: 1, plan: reply },
      'ours SSE, 1': { server: 'ours', wire: 'sse', clients: 1, plan: reply },
      'ours WS, 50': { server: 'ours', wire: 'ws', clients: 50, plan: reply },
      'ours SSE, 50': { server: 'ours', wire: 'sse', clients: 50, plan: reply },
      'ours WS per token, 50': { server: 'ours per token', wire: 'ws', clients: 50, plan: reply },
      'ours SSE per token, 50': { server: 'ours per token', wire: 'sse', clients: 50, plan: reply },
      ...Object.fromEntries(
        rivals.map((name) => [`${name}, 50`, { server: name, wire: wires[name], clients: 50, plan: reply }]),
      ),
      'ours WS, 1000': { server: 'ours', wire: 'ws', clients: 1_000, plan: reply },
      'ours SSE, 1000': { server: 'ours', wire: 'sse', clients: 1_000, plan: reply },
    })
    await bench.stopServers()
    return [...writeFigures(writes, many), ...replyFigures(replies, rivals), ...(await idle(bench.client))]
  } finally {
    await bench.stop()
  }
}

/** The native wire of each server. */
const wires: { readonly [name in Rival]: BenchWire } = {
  'socket.io': 'socket.io',
  'AG-UI': 'sse',
  'ai + redis': 'sse',
  agents: 'ws',
  'durable-streams': 'sse',
}

const lower = 'lower'

const writeFigures = (writes: FanoutMeasurements, many: FanoutMeasurements): BenchFigure[] => {
  const cpu = { 100: by(writes, 'cpuNs'), 1000: by(many, 'cpuNs') }
  return ([100, 1000] as const).flatMap((clients) => [
    figure(cpu[clients], [`ours WS per token, ${clients}`, `raw TCP, ${clients}`], {
      id: 'B2a',
      what: `WebSocket to ${clients} clients, a write per delta / raw TCP (CPU ns per delivery)`,
      target: 1.2,
      better: lower,
    }),
    figure(cpu[clients], [`ours WS per token, ${clients}`, `ws.send, ${clients}`], {
      id: 'B2b',
      what: `WebSocket to ${clients} clients, a write per delta / ws.send(string) (CPU ns per delivery)`,
      target: 0.9,
      better: lower,
    }),
    ...(clients === 100
      ? [
          figure(cpu[clients], ['ours WS 8 at a time, 100', 'raw TCP, 100'], {
            id: 'B2c',
            what: '8 deltas at a time to 100 clients / raw TCP, a write per delta (CPU ns per delivery)',
            target: 0.25,
            better: lower,
          }),
        ]
      : []),
    figure(cpu[clients], [`ours SSE per token, ${clients}`, `res.write, ${clients}`], {
      id: 'B2d',
      what: `SSE to ${clients} clients, a write per delta / res.write(string) (CPU ns per delivery)`,
      target: 0.85,
      better: lower,
    }),
  ])
}

const replyFigures = (replies: FanoutMeasurements, rivals: readonly Rival[]): BenchFigure[] => {
  const cpu = by(replies, 'cpuNs')
  const figures = [
    figure(by(replies, 'bytesPerToken'), ['ours WS, 50', 'ours WS per token, 50'], {
      id: 'B4b',
      what: 'bytes per token on a WebSocket, merged / a frame per token',
      target: 0.15,
      better: lower,
    }),
  ]
  for (const name of rivals) {
    const wire = wires[name] === 'sse' ? 'SSE' : 'WS'
    const merged = (about: { readonly id: string; readonly target: number }) =>
      figure(cpu, [`ours ${wire}, 50`, `${name}, 50`], {
        ...about,
        what: `${wire} to 50 clients, merged / ${name} (CPU ns per delivery)`,
        better: lower,
      })
    if (name !== 'socket.io' && name !== 'AG-UI') {
      figures.push(merged({ id: 'B5c', target: 0.4 }))
      continue
    }
    figures.push(
      merged({ id: 'B5a', target: 0.5 }),
      figure(cpu, [`ours ${wire} per token, 50`, `${name}, 50`], {
        id: 'B5b',
        what: `${wire} to 50 clients, a frame per token / ${name} (CPU ns per delivery)`,
        target: 1,
        better: lower,
      }),
    )
  }
  if (rivals.includes('AG-UI')) {
    figures.push(
      figure(by(replies, 'p99Us'), ['ours SSE per token, 50', 'AG-UI, 50'], {
        id: 'B5d',
        what: 'p99 added latency, a frame per token, shown after commit / AG-UI, shown before it (µs)',
        target: 2,
        better: lower,
      }),
    )
  }
  return figures
}

/** Fresh processes each round: a process keeps the memory that it used once, and would not allocate it again. */
const idle = async (client: ChildHandle): Promise<BenchFigure[]> => {
  const mayOpen = openFilesMax() - 500
  const warm = Math.min(WARM_SOCKETS, Math.floor(mayOpen / 6))
  const count = Math.min(IDLE_SOCKETS_MAX, mayOpen - warm)
  const weigh = (name: string, flags: readonly string[]): BenchVariant => ({
    run: async () => {
      const server = startChild('./fanout-server.ts', { names: [name], flags })
      try {
        const room = await server.call<BenchEndpoint>('room', 'ws')
        // The first sockets also load code and pools, which do not count for each socket.
        await client.call('connect', { room, count: warm })
        const before = await server.call<ProcessUsage>('usage', { collect: true })
        await client.call('connect', { room, count: warm + count })
        const after = await server.call<ProcessUsage>('usage', { collect: true })
        await client.call('leave')
        return { value: (after.rssBytes - before.rssBytes) / count, verified: true }
      } finally {
        await server.stop()
      }
    },
  })
  const young = [`--min-semi-space-size=${YOUNG_MIB}`, `--max-semi-space-size=${YOUNG_MIB}`]
  const rounds = await interleave({
    ours: weigh('ours', young),
    'ws package': weigh('ws', young),
    'ours, as V8 comes': weigh('ours', []),
    'ws package, as V8 comes': weigh('ws', []),
  })
  const what = `resident bytes per idle WebSocket, ${count} open / the ws package`
  return [
    figure(rounds, ['ours', 'ws package'], { id: 'B3', what, target: 1.1, better: lower }),
    figure(rounds, ['ours, as V8 comes', 'ws package, as V8 comes'], {
      id: 'B3',
      what: `${what}, with a young generation that grows`,
      target: 1.1,
      better: lower,
    }),
  ]
}

const openFilesMax = (): number => {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  return Number(report.userLimits?.open_files?.soft) || 1_024
}

type FanoutMeasurements = { readonly [name: string]: readonly FanoutMeasurement[] }

class FanoutBench {
  readonly client = startChild('./fanout-client.ts')
  readonly #servers = new Map<string, ChildHandle>()

  /** All cases in turn, round after round; prints a line for each case. */
  async rounds(cases: { readonly [name: string]: FanoutCase }): Promise<FanoutMeasurements> {
    const measured: Record<string, FanoutMeasurement[]> = {}
    const variants: Record<string, BenchVariant> = {}
    for (const [name, one] of Object.entries(cases)) {
      measured[name] = []
      variants[name] = {
        run: async () => {
          const seen = await this.#run(one)
          if (!seen.verified) {
            console.error(`${name}: ${seen.problem}`)
            process.exitCode = 1
          }
          measured[name]!.push(seen)
          return { value: seen.cpuNs, verified: seen.verified }
        },
      }
    }
    await interleave(variants)
    for (const [name, seen] of Object.entries(measured)) print(name, seen)
    return measured
  }

  /** Rivals that could be installed and started. */
  async rivals(): Promise<Rival[]> {
    const there: Rival[] = []
    for (const name of Object.keys(specs) as Rival[]) {
      if ((await fetchPackages(name, specs[name])) && (await this.#starts(name))) there.push(name)
    }
    return there
  }

  async #starts(name: Rival): Promise<boolean> {
    try {
      await this.#server(name, wires[name])
      return true
    } catch (error) {
      reportSkippedRival(name, error)
      await this.client.call('leave')
      await this.#servers.get(name)?.stop()
      this.#servers.delete(name)
      return false
    }
  }

  async stopServers(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.stop()))
    this.#servers.clear()
  }

  async stop(): Promise<void> {
    await this.stopServers()
    await this.client.stop()
  }

  async #run({ server: name, wire, clients, plan }: FanoutCase): Promise<FanoutMeasurement> {
    const server = await this.#server(name, wire)
    const room = await server.call<BenchEndpoint>('room', wire)
    await this.client.call('connect', { room, count: clients })
    const before = await server.call<ProcessUsage>('usage', { collect: false })
    const sentAt = await server.call<number[]>('stream', plan)
    await this.client.call('received', plan.tokens)
    const after = await server.call<ProcessUsage>('usage', { collect: false })
    const received = await this.client.call<ReceiveStats>('judge', { sentAt })
    await this.client.call('leave')
    return { ...received, cpuNs: ((after.cpuUs - before.cpuUs) * 1000) / (plan.tokens * clients) }
  }

  /** Started once; its first reply is not measured, so that code is compiled as in a server that has run for a while. */
  async #server(name: string, wire: BenchWire): Promise<ChildHandle> {
    const known = this.#servers.get(name)
    if (known) return known
    const server = startChild('./fanout-server.ts', { names: [name] })
    this.#servers.set(name, server)
    for (const each of name.startsWith('ours') ? (['ws', 'sse'] as const) : [wire]) {
      await this.#run({ server: name, wire: each, clients: 50, plan: warmUp })
    }
    return server
  }
}

const by = (measured: FanoutMeasurements, what: 'cpuNs' | 'p99Us' | 'bytesPerToken'): BenchRounds => ({
  values: Object.fromEntries(Object.entries(measured).map(([name, seen]) => [name, seen.map((one) => one[what])])),
  verified: Object.fromEntries(
    Object.entries(measured).map(([name, seen]) => [name, seen.every(({ verified }) => verified)]),
  ),
})

const print = (name: string, seen: readonly FanoutMeasurement[]): void => {
  const spread = (what: 'cpuNs' | 'p50Us' | 'p99Us' | 'bytesPerToken', digits: number) => {
    const sorted = seen.map((one) => one[what]).toSorted((a, b) => a - b)
    const [min, median, max] = [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
    return {
      median: Number(median.toFixed(digits)),
      min: Number(min.toFixed(digits)),
      max: Number(max.toFixed(digits)),
    }
  }
  console.log(
    JSON.stringify({
      case: name,
      cpuNsPerDelivery: spread('cpuNs', 0),
      p50Us: spread('p50Us', 0),
      p99Us: spread('p99Us', 0),
      bytesPerToken: spread('bytesPerToken', 1),
      verified: seen.every(({ verified }) => verified),
    }),
  )
}
