import { applyOperations } from '@bridle/kernel/delta'
import { tryOr } from '@bridle/kernel/try-or'
import { WebSocket } from 'ws'
import { CaseFailure, type Difference, ServerTimeout, showValue } from './failure.ts'

interface CaseSocketMessage {
  readonly type: string
  readonly event?: { readonly type: string }
  readonly state?: unknown
  readonly operations?: never
  readonly seq?: number
  readonly prev?: number
}

export class CaseSocket {
  readonly #ws: WebSocket
  readonly messages: CaseSocketMessage[] = []
  closeCode: number | null = null
  protocol = ''
  refusal: { status: number; body: unknown } | null = null
  #next = 0
  #changed = () => {}

  readonly #timeoutMs: number

  private constructor(ws: WebSocket, timeoutMs: number) {
    this.#ws = ws
    this.#timeoutMs = timeoutMs
    ws.on('message', (data) => {
      this.messages.push(messageOf(data.toString()))
      this.#changed()
    })
    ws.on('close', (code) => {
      this.closeCode = code
      this.#changed()
    })
    ws.on('error', () => {})
  }

  static open(
    url: string,
    protocols: readonly string[],
    headers: Record<string, string>,
    timeoutMs: number,
  ): Promise<CaseSocket> {
    const ws = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], { headers, handshakeTimeout: timeoutMs })
    const socket = new CaseSocket(ws, timeoutMs)
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
        reject(/timed out/.test(error.message) ? new ServerTimeout('an upgrade', timeoutMs) : error)
      })
    })
  }

  send(text: string): void {
    this.#ws.send(text)
  }

  /** Skips messages until one matches. */
  async waitForMessage(problem: (message: unknown) => Difference | null): Promise<void> {
    let last: Difference | null = null
    await this.until(() => {
      while (this.#next < this.messages.length) {
        const found = problem(this.messages[this.#next++])
        if (found === null) return true
        last = found
      }
      return false
    }).catch((error: unknown) => {
      if (last === null) throw error
      throw new CaseFailure({ at: `message, ${last.at}`, expected: last.expected, actual: showValue(this.messages) })
    })
  }

  types(): string[] {
    return this.messages.map((message) => message.event?.type ?? message.type)
  }

  state(): unknown {
    let state: unknown
    let last: number | undefined
    for (const { type, state: whole, operations, seq, prev } of this.messages) {
      if (type === 'state') state = whole
      else if (type === 'delta') {
        if (prev !== last) throw new CaseFailure({ at: 'prev', expected: String(last), actual: String(prev) })
        state = applyOperations(state as never, operations as never)
      } else continue
      last = seq
    }
    return state
  }

  /** Rejects if the socket closes first, or after the timeout. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      // A settled promise must not check again: the condition would consume messages that the next step waits for.
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        this.#changed = () => {}
        finish()
      }
      const timer = setTimeout(
        () => settle(() => reject(new ServerTimeout('a message', this.#timeoutMs, showValue(this.types())))),
        this.#timeoutMs,
      )
      this.#changed = () => {
        try {
          if (condition()) settle(resolve)
          else if (this.closeCode !== null) settle(() => reject(this.#closeFailure()))
        } catch (error) {
          settle(() => reject(error))
        }
      }
      this.#changed()
    })
  }

  #closeFailure(): CaseFailure {
    return new CaseFailure({ at: 'socket', expected: 'a message', actual: `a close with ${this.closeCode}` })
  }

  end(): void {
    this.#ws.terminate()
  }
}

/** Text that is not JSON becomes the type: it matches no pattern, and the report shows it. */
const messageOf = (text: string): CaseSocketMessage => {
  const message = parsed(text)
  return typeof message === 'object' && message !== null && 'type' in message
    ? (message as CaseSocketMessage)
    : { type: text }
}

const parsed = (text: string): unknown => tryOr(text, () => JSON.parse(text))
