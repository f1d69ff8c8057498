// Readers of one long log, in a separate process. Each begins at the start, reads to the end as fast as it can, and
// begins again until the benchmark stops all of them.
import { connect, type Socket } from 'node:net'
import { serveCalls } from './child.ts'
import { requestText } from './request-text.ts'

export interface ReaderPlan {
  readonly count: number
  readonly port: number
  readonly path: string
  readonly wire: 'sse' | 'ws'
  /** Bytes that only the end of the log has. */
  readonly end: string
}

export interface ReadStats {
  /** How often the log was read to its end. */
  readonly whole: number
  readonly bytes: number
  /** Connections that ended before the end of the log. */
  readonly broken: number
}

/** The end may lie across two chunks. */
const OVERLAP = 200

let sockets = new Set<Socket>()
let whole = 0
let bytes = 0
let broken = 0

serveCalls({
  begin: (readers: ReaderPlan) => {
    for (let index = 0; index < readers.count; index++) read(readers, sockets)
  },
  stop: (): ReadStats => {
    const ended = sockets
    sockets = new Set()
    for (const socket of ended) socket.destroy()
    const reading = { whole, bytes, broken }
    whole = bytes = broken = 0
    return reading
  },
})

const read = (readers: ReaderPlan, among: Set<Socket>): void => {
  const socket = connect({ port: readers.port, host: '127.0.0.1', noDelay: true })
  among.add(socket)
  let rest = ''
  let isWhole = false
  socket.on('error', () => {})
  socket.on('connect', () => socket.write(requestText(readers)))
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    const tail = rest + chunk.toString('latin1')
    rest = tail.slice(-OVERLAP)
    if (!tail.includes(readers.end)) return
    isWhole = true
    whole++
    socket.destroy()
  })
  socket.on('close', () => {
    if (!among.delete(socket) || among !== sockets) return
    if (!isWhole) broken++
    read(readers, among)
  })
}
