// All clients of the fan-out benchmark in one process, on bare sockets: it keeps what arrives, and looks at it only when
// the clock has stopped.
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
  /** On the wire, of the frames that carry text. */
  readonly bytesPerToken: number
}

interface BenchSocket {
  readonly socket: Socket
  readonly chunks: Buffer[]
  /** When each chunk came; of a few clients only. */
  readonly times: number[] | null
  ended: boolean
}

const SAMPLED = 8
const RECEIVE_MS = 40_000
/** Handshakes under way at once: a listener's queue is short. */
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
    // What a server says on its own at the start is over.
    await sleep(100)
  },
  /** Resolves when everybody has the last token, or when it is clear that somebody will not get it. */
  received: async (tokens: number) => {
    const last = Buffer.from(token(tokens - 1))
    const until = Date.now() + RECEIVE_MS
    while (!clients.every((client) => hasEnded(client, last)) && Date.now() < until) await sleep(5)
  },
  judge: ({ said }: { said: number[] }) => judge(said),
  leave: async () => {
    for (const { socket } of clients) socket.destroy()
    clients = []
    await sleep(50)
  },
})

const hasEnded = (client: BenchSocket, last: Buffer): boolean => {
  // The last token may lie across two chunks, and what ends the turn comes behind it.
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

const judge = (said: readonly number[]): ReceiveStats => {
  const expected = said.map((_, index) => token(index)).join('')
  const latencies: number[] = []
  let bytesPerToken = 0
  let known = null as Buffer | null
  let problem: string | undefined
  for (const { chunks, times } of clients) {
    const all = Buffer.concat(chunks)
    const start = wire === 'tcp' ? 0 : all.indexOf('\r\n\r\n') + 4
    const body = all.subarray(start)
    // All get the same bytes, so one need not be read twice.
    if (known?.equals(body) && !times) continue
    const deltas = deltasOf(wire, body)
    const text = deltas.map(({ delta }) => delta).join('')
    if (text !== expected) problem ??= difference(text, expected)
    else known = body
    bytesPerToken ||= deltas.reduce((sum, { bytes }) => sum + bytes, 0) / said.length
    if (times) latencies.push(...delays(deltas, arrivals(chunks, times, start), said))
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

/** Up to which byte of the body everything had come, and when. */
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
  said: readonly number[],
): number[] => {
  const found: number[] = []
  let index = 0
  let arrival = 0
  for (const { delta, end } of deltas) {
    while (arrival < came.length - 1 && came[arrival]!.end < end) arrival++
    for (let chars = 0; chars < delta.length; chars += TOKEN_CHARS) found.push(came[arrival]!.time - said[index++]!)
  }
  return found
}
