// All clients of the fan-out benchmark in one process, on bare sockets. The process keeps all bytes, and reads
// them only when the clock has stopped.
import { connect as connectTo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveCalls } from './child.ts'
import { type BenchEndpoint, type BenchWire, microseconds, TOKEN_CHARS, token } from './fanout-reply.ts'
import { deltasOf, maskedText, type TextDelta } from './fanout-wire.ts'
import { requestText } from './request-text.ts'

export interface ReceiveStats {
  /** Every client got every token, in order. */
  readonly verified: boolean
  readonly problem?: string
  readonly p50Us: number
  readonly p99Us: number
  /** Bytes on the wire of the frames that carry text. */
  readonly bytesPerToken: number
}

interface BenchSocket {
  readonly socket: Socket
  readonly chunks: Buffer[]
  /** Arrival time of each chunk; for a few clients only. */
  readonly times: number[] | null
  ended: boolean
}

const SAMPLED = 8
const RECEIVE_MS = 40_000
/** Concurrent handshakes: a listener's queue is short. */
const CONNECTING = 100

let clients: BenchSocket[] = []
let wire: BenchWire = 'tcp'

serveCalls({
  connect: async ({ room, count }: { room: BenchEndpoint; count: number }) => {
    wire = room.wire
    while (clients.length < count) {
      const some = Math.min(CONNECTING, count - clients.length)
      clients.push(...(await Promise.all(Array.from({ length: some }, (_, n) => join(room, clients.length + n)))))
    }
    // The messages that a server sends after a handshake have arrived.
    await sleep(100)
  },
  /** Resolves when every client has the last token, or when a client can no longer get it. */
  received: async (tokens: number) => {
    const last = Buffer.from(token(tokens - 1))
    const until = Date.now() + RECEIVE_MS
    while (!clients.every((client) => hasEnded(client, last)) && Date.now() < until) await sleep(5)
  },
  judge: ({ sentAt }: { sentAt: number[] }) => judge(sentAt),
  leave: async () => {
    for (const { socket } of clients) socket.destroy()
    clients = []
    await sleep(50)
  },
})

const hasEnded = (client: BenchSocket, last: Buffer): boolean => {
  // The last token may lie across two chunks, and the end of the turn follows it.
  client.ended ||= Buffer.concat(client.chunks.slice(-8)).includes(last)
  return client.ended
}

const join = (room: BenchEndpoint, index: number): Promise<BenchSocket> =>
  new Promise((resolve, reject) => {
    const socket = connectTo({ port: room.port, host: '127.0.0.1', noDelay: true })
    const client: BenchSocket = { socket, chunks: [], times: index < SAMPLED ? [] : null, ended: false }
    socket.on('error', reject)
    socket.on('connect', () => {
      if (room.wire === 'tcp') return resolve(client)
      socket.write(requestText(room))
    })
    socket.on('data', (chunk: Buffer) => {
      if (client.chunks.push(chunk) === 1 && room.wire === 'socket.io') socket.write(maskedText('40'))
      client.times?.push(microseconds())
      if (room.wire === 'tcp' || isLetIn(client.chunks[0]!)) resolve(client)
      else reject(new Error(`Not let in: ${chunk.toString('latin1', 0, 200)}`))
    })
  })

const isLetIn = (first: Buffer): boolean => /^HTTP\/1.1 (101|200) /.test(first.toString('latin1', 0, 16))

const judge = (sentAt: readonly number[]): ReceiveStats => {
  const expected = sentAt.map((_, index) => token(index)).join('')
  const latencies: number[] = []
  let bytesPerToken = 0
  let lastBody = null as Buffer | null
  let problem: string | undefined
  for (const { chunks, times } of clients) {
    const all = Buffer.concat(chunks)
    const start = wire === 'tcp' ? 0 : all.indexOf('\r\n\r\n') + 4
    const body = all.subarray(start)
    // All clients get the same bytes, so equal bodies are parsed once.
    if (lastBody?.equals(body) && !times) continue
    const deltas = deltasOf(wire, body)
    const text = deltas.map(({ delta }) => delta).join('')
    if (text !== expected) problem ??= difference(text, expected)
    else lastBody = body
    bytesPerToken ||= deltas.reduce((sum, { bytes }) => sum + bytes, 0) / sentAt.length
    if (times) latencies.push(...delays(deltas, arrivals(chunks, times, start), sentAt))
  }
  latencies.sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))] ?? 0
  return {
    verified: problem === undefined && clients.length > 0,
    ...(problem !== undefined && { problem }),
    p50Us: at(0.5),
    p99Us: at(0.99),
    bytesPerToken,
  }
}

const difference = (text: string, expected: string): string => {
  let at = 0
  while (at < text.length && text[at] === expected[at]) at++
  return `got ${text.length} of ${expected.length} characters, different from ${at} on: ${text.slice(at, at + 40)}`
}

/** The number of bytes that had arrived, and when. */
const arrivals = (chunks: readonly Buffer[], times: readonly number[], start: number) => {
  let end = -start
  return chunks.map((chunk, index) => {
    end += chunk.length
    return { end, time: times[index]! }
  })
}

const delays = (
  deltas: readonly TextDelta[],
  came: readonly { end: number; time: number }[],
  sentAt: readonly number[],
): number[] => {
  const found: number[] = []
  let index = 0
  let arrival = 0
  for (const { delta, end } of deltas) {
    while (arrival < came.length - 1 && came[arrival]!.end < end) arrival++
    for (let chars = 0; chars < delta.length; chars += TOKEN_CHARS) found.push(came[arrival]!.time - sentAt[index++]!)
  }
  return found
}
