// One socket of a case: what it heard, and what that makes of a state.
import { WebSocket } from 'ws'
import { applyOperations } from '../packages/bridle/src/kernel/delta.ts'

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

  private constructor(ws: WebSocket) {
    this.#ws = ws
    ws.on('message', (data) => {
      this.heard.push(JSON.parse(data.toString()) as Heard)
      this.#changed()
    })
    ws.on('close', (code) => {
      this.closed = code
      this.#changed()
    })
    ws.on('error', () => {})
  }

  static open(url: string, protocols: readonly string[], headers: Record<string, string>): Promise<CaseSocket> {
    const ws = new WebSocket(url.replace(/^http/, 'ws'), [...protocols], { headers })
    const socket = new CaseSocket(ws)
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
      ws.once('error', reject)
    })
  }

  say(text: string): void {
    this.#ws.send(text)
  }

  /** The next message for which `problem` says null; passes over others. */
  async hear(problem: (message: unknown) => string | null): Promise<void> {
    let last = 'nothing was said'
    await this.until(() => {
      while (this.#next < this.heard.length) {
        const found = problem(this.heard[this.#next++])
        if (found === null) return true
        last = found
      }
      return false
    }).catch(() => {
      throw new Error(`not heard, at last ${last}; heard ${JSON.stringify(this.heard).slice(0, 2_000)}`)
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
        if (prev !== last) throw new Error(`a gap: ${prev} after ${last}`)
        state = applyOperations(state as never, operations as never)
      } else continue
      last = seq
    }
    return state
  }

  /** Resolves when it is so; rejects when the socket has closed, or nothing more comes for too long. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('it took too long')), PATIENCE_MS)
      this.#changed = () => {
        const so = isSo()
        if (!so && this.closed === null) return
        clearTimeout(timer)
        if (so) resolve()
        else reject(new Error(`closed with ${this.closed}`))
      }
      this.#changed()
    })
  }

  end(): void {
    this.#ws.terminate()
  }
}

const PATIENCE_MS = 20_000

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
