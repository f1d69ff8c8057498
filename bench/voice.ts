// Lines of the product, whole and with its log on disk, beside a plain pipe between two sockets. All lines speak and listen at once,
// in real time. The server, the provider and the speakers are processes of their own.
import { type ChildHandle, type ProcessUsage, startChild } from './child.ts'
import { type BenchFigure, type BenchRounds, figure, interleave } from './figure.ts'
import {
  ANSWER_PIECE_MS,
  type AudioStats,
  answerPieces,
  pieceBytes,
  piecesOf,
  SPEAKER_PIECE_MS,
} from './voice-audio.ts'

interface VoiceCase {
  readonly server: 'ours' | 'pipe'
  readonly lines: number
  /** Whether the provider also says the words of its audio, which then go through the log. */
  readonly words: boolean
}

interface VoiceMeasurement {
  /** Audio of both ways for a second of the server's processor time. */
  readonly bytesPerCpuS: number
  /** Microseconds from one end to the other, in the slower of the two ways. */
  readonly p50Us: number
  readonly p99Us: number
  /** The part of one core that the server used. */
  readonly cores: number
  readonly problem: string | null
}

const LINES = 200
const SECONDS = 4
const P99_US_MAX = 5_000

export const voice = async (): Promise<BenchFigure[]> => {
  const bench = await VoiceBench.start()
  try {
    const measured = await bench.rounds({
      'ours, 200': { server: 'ours', lines: LINES, words: false },
      'pipe, 200': { server: 'pipe', lines: LINES, words: false },
      'ours with words, 200': { server: 'ours', lines: LINES, words: true },
      'ours, 20': { server: 'ours', lines: 20, words: false },
      'pipe, 20': { server: 'pipe', lines: 20, words: false },
    })
    const bytes = by(measured, 'bytesPerCpuS')
    const p99 = by(measured, 'p99Us')
    // The clock runs from one process to another: what a frame waits for speakers, provider and processor is in both figures of a
    // round, and only the difference is the server's.
    const added = (lines: number) =>
      p99.values[`ours, ${lines}`]!.map((value, round) => Math.max(0, value - p99.values[`pipe, ${lines}`]![round]!))
    const limit = Array.from(measured['ours, 200']!, () => P99_US_MAX)
    const names = [200, 20].map((lines) => [lines, `added, ${lines}`] as const)
    const latency: BenchRounds = {
      values: { ...Object.fromEntries(names.map(([lines, name]) => [name, added(lines)])), '5 ms': limit },
      verified: {
        ...Object.fromEntries(
          names.map(([lines, name]) => [name, p99.verified[`ours, ${lines}`]! && p99.verified[`pipe, ${lines}`]!]),
        ),
        '5 ms': true,
      },
    }
    return [
      figure(bytes, ['ours, 200', 'pipe, 200'], {
        id: 'L1',
        what: 'audio of 200 lines at once / a plain pipe between two sockets (bytes per CPU second)',
        target: 0.7,
        better: 'higher',
      }),
      figure(bytes, ['ours with words, 200', 'pipe, 200'], {
        id: 'L2',
        what: 'the same with the words of the answers, which go through the log (bytes per CPU second)',
        target: 0.5,
        better: 'higher',
      }),
      ...[200, 20].map((lines) =>
        figure(latency, [`added, ${lines}`, '5 ms'], {
          id: 'L3',
          what: `p99 of audio from one end to the other less that of a plain pipe, ${lines} lines at once / 5 ms (µs)`,
          target: 1,
          better: 'lower',
        }),
      ),
      ...[200, 20].map((lines) =>
        figure(p99, [`ours, ${lines}`, `pipe, ${lines}`], {
          id: 'L4',
          what: `p99 of audio from one end to the other, ${lines} lines at once / a plain pipe (µs)`,
          target: 1.5,
          better: 'lower',
        }),
      ),
    ]
  } finally {
    await bench.stop()
  }
}

type VoiceMeasurements = { readonly [name: string]: readonly VoiceMeasurement[] }

class VoiceBench {
  readonly #speakers = startChild('./voice-client.ts')
  readonly #provider: ChildHandle
  readonly #servers: { readonly [name in VoiceCase['server']]: ChildHandle }

  private constructor(provider: ChildHandle, port: number) {
    this.#provider = provider
    const start = (name: string) => startChild('./voice-server.ts', { names: [name, String(port)] })
    this.#servers = { ours: start('ours'), pipe: start('pipe') }
  }

  static async start(): Promise<VoiceBench> {
    const provider = startChild('./voice-provider.ts')
    const bench = new VoiceBench(provider, await provider.call<number>('port'))
    // Code is compiled as in a server that has run for a while.
    for (const server of ['ours', 'pipe'] as const) await bench.#run({ server, lines: LINES, words: true })
    return bench
  }

  async rounds(cases: { readonly [name: string]: VoiceCase }): Promise<VoiceMeasurements> {
    const measured: Record<string, VoiceMeasurement[]> = {}
    const variants = Object.entries(cases).map(([name, one]) => {
      const run = async () => {
        const seen = await this.#run(one)
        if (seen.problem !== null) console.error(`${name}: ${seen.problem}`)
        measured[name] = [...(measured[name] ?? []), seen]
        return { value: seen.bytesPerCpuS, verified: seen.problem === null }
      }
      return [name, { run }] as const
    })
    await interleave(Object.fromEntries(variants))
    for (const [name, seen] of Object.entries(measured)) print(name, seen)
    return measured
  }

  async stop(): Promise<void> {
    await Promise.all([this.#speakers, this.#provider, ...Object.values(this.#servers)].map((child) => child.stop()))
  }

  async #run({ server: name, lines, words }: VoiceCase): Promise<VoiceMeasurement> {
    const server = this.#servers[name]
    await this.#speakers.call('connect', await server.call('urls', lines))
    await this.#provider.call('asked', lines)
    const spoken = lines * piecesOf({ seconds: SECONDS, pieceMs: SPEAKER_PIECE_MS })
    const answered = Array.from({ length: lines }, (_, line) => answerPieces(line, lines, SECONDS)).reduce(
      (a, b) => a + b,
    )
    const before = await server.call<ProcessUsage>('usage')
    const speech = { seconds: SECONDS, words }
    await Promise.all([this.#speakers.call('speak', speech), this.#provider.call('answer', speech)])
    const [up, down] = await Promise.all([
      this.#provider.call<AudioStats>('heard', spoken),
      this.#speakers.call<AudioStats>('heard', answered),
    ])
    const after = await server.call<ProcessUsage>('usage')
    await this.#speakers.call('leave')
    const cpuS = (after.cpuUs - before.cpuUs) / 1e6
    const bytes = up.bytes + down.bytes
    const expected = spoken * pieceBytes(SPEAKER_PIECE_MS) + answered * pieceBytes(ANSWER_PIECE_MS)
    return {
      bytesPerCpuS: bytes / cpuS,
      p50Us: Math.max(up.p50Us, down.p50Us),
      p99Us: Math.max(up.p99Us, down.p99Us),
      cores: cpuS / SECONDS,
      problem: up.problem ?? down.problem ?? (bytes === expected ? null : `${bytes} of ${expected} bytes arrived.`),
    }
  }
}

const by = (measured: VoiceMeasurements, what: 'bytesPerCpuS' | 'p99Us'): BenchRounds => ({
  values: Object.fromEntries(Object.entries(measured).map(([name, seen]) => [name, seen.map((one) => one[what])])),
  verified: Object.fromEntries(
    Object.entries(measured).map(([name, seen]) => [name, seen.every(({ problem }) => problem === null)]),
  ),
})

const print = (name: string, seen: readonly VoiceMeasurement[]): void => {
  const spread = (what: 'bytesPerCpuS' | 'p50Us' | 'p99Us' | 'cores') => {
    const sorted = seen.map((one) => one[what]).toSorted((a, b) => a - b)
    const shown = (value: number) => Number(value.toPrecision(3))
    return {
      median: shown(sorted[Math.floor(sorted.length / 2)]!),
      min: shown(sorted[0]!),
      max: shown(sorted.at(-1)!),
    }
  }
  console.log(
    JSON.stringify({
      case: name,
      bytesPerCpuS: spread('bytesPerCpuS'),
      cores: spread('cores'),
      p50Us: spread('p50Us'),
      p99Us: spread('p99Us'),
    }),
  )
}
