// The reply that every server of the fan-out benchmark streams, and its pace.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

export interface ReplyPlan {
  readonly tokens: number
  /** Tokens sent without a pause. */
  readonly burst: number
  /**
   * `by the clock`: a thousand tokens a second, as a remote model sends them; late tokens follow one per turn of the event loop.
   * `after a pause`: a timer turn after each burst, however long the burst took, so that two bursts never overlap.
   */
  readonly pace: 'by the clock' | 'after a pause'
}

/** The reply that a server sends to all its clients, the wire, and the address. */
export interface BenchEndpoint {
  readonly wire: BenchWire
  readonly port: number
  readonly path: string
}

export interface LongSession {
  readonly port: number
  readonly id: string
  /** The last word of the log, which occurs once. */
  readonly end: string
}

/** A server of this benchmark: the product, a bare server or a rival. */
export interface BenchServer {
  /** Makes a room without clients. */
  endpoint(wire: BenchWire): Promise<BenchEndpoint> | BenchEndpoint
  /** Streams the reply to every client in the last room; resolves to the time of each token. */
  stream(plan: ReplyPlan): Promise<number[]>
  /** A session whose log has at least this many events; resolves to its address and its last word. */
  longSession?(events: number): Promise<LongSession>
  /** Processes that the server started. They end with it. */
  readonly others?: readonly number[]
}

/** `tcp` = frames of a WebSocket without its handshake; `socket.io` = its messages over a WebSocket. */
export type BenchWire = 'tcp' | 'ws' | 'sse' | 'socket.io'

/** Tokens of one width, no two alike: an offset identifies the token, and any loss or disorder shows. */
export const TOKEN_CHARS = 6
export const token = (index: number): string => `w${String(index).padStart(TOKEN_CHARS - 2, '0')} `

/** The clock of all processes on this machine, in microseconds. */
export const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)

/** Sends the reply; resolves to the time of each token. */
export const streamReply = async (
  { tokens, burst, pace }: ReplyPlan,
  say: (token: string, index: number) => Promise<void> | void,
): Promise<number[]> => {
  const sentAt: number[] = []
  const start = microseconds()
  for (let index = 0; index < tokens; index++) {
    const early = pace === 'after a pause' ? index % burst === 0 : microseconds() < start + index * 1000
    if (early) await sleep(1)
    else if (pace === 'by the clock') await turn()
    sentAt.push(microseconds())
    await say(token(index), index)
  }
  return sentAt
}
