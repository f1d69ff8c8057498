// One socket of a case: what it heard, and what that makes of a state.
import { WebSocket } from 'ws'
import { applyOperations } from '../kernel/delta.ts'
import { CaseFailure, type Difference, SilentServer, shown } from './failure.ts'

interface Heard {
  readonly type: string
  readonly event?: { readonly type: string }
  readonly state?: unknown
  readonly operations?: never
  readonly seq?: number
  readonly prev?: number
}

export class CaseSocket {
  readonly #ws: WebSocket
  readonly heard: Heard[] = []
  closed: number | null = null
  protocol = ''
  /** What the upgrade was answered, where it was refused. */
  refusal: { status: number; body: unknown } | null = null
  #next = 0
  #changed = () => {}

  readonly #patienceMs: number

  private constructor(ws: WebSocket, patienceMs: number) {
    this.#ws = ws
    this.#patienceMs = patienceMs
    ws.on('message', (data) => {
      this.heard.push(messageOf(data.toString()))
      this.#changed()
    })
    ws.on('close', (code) => {
      this.closed = code
      this.#changed()
    })
    ws.on('error', () => {})
  }

  static open(
    url: string,
    protocols: readonly string[],
    headers: Record<string, string>,
    patienceMs: number,
  ): Promise<CaseSocket> {
    const ws = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], { headers, handshakeTimeout: patienceMs })
    const socket = new CaseSocket(ws, patienceMs)
    return new Promise((resolve, reject) => {
      ws.once('open', () => {
        socket.protocol = ws.protocol
        resolve(socket)
      })
      ws.once('unexpected-response', async (_request, response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        socket.refusal = { status: response.statusCode ?? 0, body: parsed(text) }
        resolve(socket)
        ws.terminate()
      })
      ws.once('error', (error) => {
        reject(/timed out/.test(error.message) ? new SilentServer('an upgrade', patienceMs) : error)
      })
    })
  }

  say(text: string): void {
    this.#ws.send(text)
  }

  /** The next message for which `problem` says null; passes over others. */
  async hear(problem: (message: unknown) => Difference | null): Promise<void> {
    let last: Difference | null = null
    await this.until(() => {
      while (this.#next < this.heard.length) {
        const found = problem(this.heard[this.#next++])
        if (found === null) return true
        last = found
      }
      return false
    }).catch((error: unknown) => {
      if (last === null) throw error
      throw new CaseFailure({ at: `message, ${last.at}`, expected: last.expected, actual: shown(this.heard) })
    })
  }

  types(): string[] {
    return this.heard.map((message) => message.event?.type ?? message.type)
  }

  state(): unknown {
    let state: unknown
    let last: number | undefined
    for (const { type, state: whole, operations, seq, prev } of this.heard) {
      if (type === 'state') state = whole
      else if (type === 'delta') {
        if (prev !== last) throw new CaseFailure({ at: 'prev', expected: String(last), actual: String(prev) })
        state = applyOperations(state as never, operations as never)
      } else continue
      last = seq
    }
    return state
  }

  /** Resolves when it is so; rejects when the socket has closed, or nothing more comes for too long. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      // Once it is settled it must not look again: it would take messages that the next step waits for.
      const settle = (end: () => void) => {
        clearTimeout(timer)
        this.#changed = () => {}
        end()
      }
      const timer = setTimeout(
        () => settle(() => reject(new SilentServer('a message', this.#patienceMs, shown(this.types())))),
        this.#patienceMs,
      )
      this.#changed = () => {
        try {
          if (isSo()) settle(resolve)
          else if (this.closed !== null) settle(() => reject(this.#closeFailure()))
        } catch (error) {
          settle(() => reject(error))
        }
      }
      this.#changed()
    })
  }

  #closeFailure(): CaseFailure {
    return new CaseFailure({ at: 'socket', expected: 'a message', actual: `a close with ${this.closed}` })
  }

  end(): void {
    this.#ws.terminate()
  }
}

/** A message that is no JSON fits no pattern, and is shown in the report. */
const messageOf = (text: string): Heard => {
  const message = parsed(text)
  return typeof message === 'object' && message !== null && 'type' in message ? (message as Heard) : { type: text }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
