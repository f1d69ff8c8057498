// The reply that every server of the fan-out benchmark streams, and the pace it is spoken at.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

export interface ReplyPlan {
  readonly tokens: number
  /** Tokens said without a pause. */
  readonly burst: number
  /**
   * `by the clock`: a thousand tokens a second, as a model far away sends them; what is late is said turn by turn.
   * `after a pause`: a timer turn after each burst, however long that took, so that no two bursts ever meet.
   */
  readonly pace: 'by the clock' | 'after a pause'
}

/** What a server says to all its clients, by which wire, and where. */
export interface BenchEndpoint {
  readonly wire: BenchWire
  readonly port: number
  readonly path: string
}

export interface LongSession {
  readonly port: number
  readonly id: string
  /** The last word that its agent said, and said once. */
  readonly end: string
}

/** A server of this benchmark, in whatever way it is made. */
export interface BenchServer {
  /** A place where nobody has been yet. */
  endpoint(wire: BenchWire): Promise<BenchEndpoint> | BenchEndpoint
  /** Streams the reply to everybody in the last room; resolves to when each token was said. */
  stream(plan: ReplyPlan): Promise<number[]>
  /** A session whose log has at least this many events; resolves to where it is and how it ends. */
  longSession?(events: number): Promise<LongSession>
  /** Processes that work for it beside its own. They end with it. */
  readonly others?: readonly number[]
}

/** `tcp` = frames of a WebSocket without its handshake; `socket.io` = its messages over a WebSocket. */
export type BenchWire = 'tcp' | 'ws' | 'sse' | 'socket.io'

/** All of one width and no two alike: a text offset tells which token it is, and any loss or disorder shows. */
export const TOKEN_CHARS = 6
export const token = (index: number): string => `w${String(index).padStart(TOKEN_CHARS - 2, '0')} `

/** The clock of all processes on this machine, in microseconds. */
export const microseconds = (): number => Number(process.hrtime.bigint() / 1000n)

/** Says the reply; resolves to when each token was said. */
export const streamReply = async (
  { tokens, burst, pace }: ReplyPlan,
  say: (token: string, index: number) => Promise<void> | void,
): Promise<number[]> => {
  const said: number[] = []
  const start = microseconds()
  for (let index = 0; index < tokens; index++) {
    const early = pace === 'after a pause' ? index % burst === 0 : microseconds() < start + index * 1000
    if (early) await sleep(1)
    else if (pace === 'by the clock') await turn()
    said.push(microseconds())
    await say(token(index), index)
  }
  return said
}
