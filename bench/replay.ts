// Fifty clients read a log of 100,000 events from its start, again and again, while another session streams a reply and
// a probe asks for /health. Server, readers and watchers are separate processes.
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child.ts'
import type { ReceiveStats } from './fanout-client.ts'
import type { BenchEndpoint, LongSession, ReplyPlan } from './fanout-reply.ts'
import { type BenchFigure, type BenchVariant, figure, interleave } from './figure.ts'
import type { ReaderPlan, ReadStats } from './replay-client.ts'

const EVENTS = 100_000
const READERS = 50
const WATCHERS = 8
/** The timeout of a usual load balancer's probe. */
const HEALTH_US = 50_000
const PROBE_EVERY_MS = 10
/** The readers have started when the reply begins. */
const BEFORE_MS = 300
const reply: ReplyPlan = { tokens: 2_000, burst: 1, pace: 'by the clock' }

type ReaderPlans = { readonly [name: string]: (long: LongSession) => Omit<ReaderPlan, 'count' | 'port'> }

const wires: ReaderPlans = {
  'frontend SSE': ({ id, end }) => ({ wire: 'sse', path: `/sessions/${id}/events/stream`, end }),
  'Fabric SSE': ({ id, end }) => ({ wire: 'sse', path: `/sessions/${id}/events?replay=all`, end }),
  'Fabric WebSocket': ({ id, end }) => ({ wire: 'ws', path: `/sessions/${id}/ws?replay=all`, end }),
}

export const replay = async (): Promise<BenchFigure[]> => {
  const [server, readers, watchers] = [
    startChild('./fanout-server.ts', { names: ['ours'] }),
    startChild('./replay-client.ts'),
    startChild('./fanout-client.ts'),
  ]
  const worst: Record<string, number[]> = {}
  const read: Record<string, ReadStats[]> = {}
  const live = async (name: string, wire: Omit<ReaderPlan, 'count' | 'port'> | null, port: number) => {
    const room = await server.call<BenchEndpoint>('room', 'ws')
    await watchers.call('connect', { room, count: WATCHERS })
    if (wire) await readers.call('begin', { ...wire, count: READERS, port })
    await sleep(BEFORE_MS)
    const probes = probe(port)
    const sentAt = await server.call<number[]>('stream', reply)
    await watchers.call('received', reply.tokens)
    worst[name] = [...(worst[name] ?? []), await probes.stop()]
    const reading = await readers.call<ReadStats>('stop')
    read[name] = [...(read[name] ?? []), reading]
    const { verified, p99Us, problem } = await watchers.call<ReceiveStats>('judge', { sentAt })
    if (problem) console.error(`${name}: ${problem}`)
    await watchers.call('leave')
    return { value: p99Us, verified: verified && reading.broken === 0 && (!wire || reading.bytes > 1_000_000) }
  }
  try {
    // The first reply is not measured, so that code is compiled as in a server that has run for a while.
    const long = await server.call<LongSession>('longSession', EVENTS)
    await live('warm-up', null, long.port)
    const variants: Record<string, BenchVariant> = {
      'nobody reads': { run: () => live('nobody reads', null, long.port) },
    }
    for (const [name, wireOf] of Object.entries(wires)) {
      await live('warm-up', wireOf(long), long.port)
      variants[name] = { run: () => live(name, wireOf(long), long.port) }
    }
    const p99 = await interleave(variants)
    const health = {
      values: { ...worst, limit: worst['nobody reads']!.map(() => HEALTH_US) },
      verified: { ...p99.verified, limit: true },
    }
    for (const [name, readings] of Object.entries(read)) print(name, readings, worst[name]!, p99.values[name] ?? [])
    return Object.keys(wires).flatMap((name) => [
      figure(health, [name, 'limit'], {
        id: 'B7a',
        what: `the slowest of some 200 answers of /health while ${READERS} clients replay ${EVENTS} events, ${name} / 50 ms`,
        target: 1,
        better: 'lower',
      }),
      figure(p99, [name, 'nobody reads'], {
        id: 'B7b',
        what: `p99 added latency of a live turn while ${READERS} clients replay ${EVENTS} events, ${name} / while nobody does`,
        target: 2,
        better: 'lower',
      }),
    ])
  } finally {
    await Promise.all([server, readers, watchers].map((child) => child.stop()))
  }
}

const print = (
  name: string,
  readings: readonly ReadStats[],
  worst: readonly number[],
  p99Us: readonly number[],
): void => {
  const [whole, bytes] = [readings.map((one) => one.whole), readings.map((one) => one.bytes)]
  console.log(JSON.stringify({ case: name, readToTheEnd: whole, bytes, worstHealthUs: worst, p99Us }))
}

/** Asks for /health on one kept connection until it is stopped; resolves to the longest wait in microseconds. */
const probe = (port: number): { stop(): Promise<number> } => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let isOver = false
  let longest = 0
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const started = process.hrtime.bigint()
      const request = get({ port, host: '127.0.0.1', path: '/health', agent }, (response) => {
        response.resume().on('end', () => {
          longest = Math.max(longest, Number((process.hrtime.bigint() - started) / 1000n))
          resolve()
        })
      })
      request.on('error', reject)
    })
  const asking = (async () => {
    while (!isOver) {
      await ask()
      await sleep(PROBE_EVERY_MS)
    }
    agent.destroy()
  })()
  return {
    stop: async () => {
      isOver = true
      await asking
      return longest
    },
  }
}
