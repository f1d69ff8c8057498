import type { AnswerPattern, CaseRequest, CaseStep, ConformanceCase, OpenStep, StreamStep } from './case.ts'
import { CaseSocket } from './case-socket.ts'
import { type EventFrame, readStream } from './event-stream.ts'
import { CaseFailure, type Difference, fail, ServerTimeout, showValue } from './failure.ts'
import { STEP_TIMEOUT_MS } from './limits.ts'
import { fillTemplates, findDifference, type SavedValues } from './match.ts'

export interface PlayOptions {
  /** Values for `{name}` templates; at least `s`. */
  readonly saved?: SavedValues
  /** Sent with every request, except in cases about tokens, which bring their own. */
  readonly token?: string
  /** Counts consecutive `text_delta` events as one, because the server may merge pieces of text. */
  readonly isPaced?: boolean
  /** Per step. Default: 15 s. */
  readonly timeoutMs?: number
}

let cases = 0

export const playCase = async (url: string, { steps }: ConformanceCase, options: PlayOptions = {}): Promise<void> => {
  const player = new CasePlayer(url, options)
  try {
    for (const [index, step] of steps.entries()) {
      await player.play(fillTemplates(step, player.saved)).catch((error: unknown) => {
        throw withStep(error, index + 1, fillTemplates(step, player.saved))
      })
    }
  } finally {
    player.end()
  }
}

const withStep = (error: unknown, step: number, played: CaseStep): CaseFailure => {
  const failure =
    error instanceof CaseFailure
      ? error
      : new CaseFailure({ at: 'connection', expected: 'an answer', actual: causeText(error) })
  failure.step = step
  failure.action = actionOf(played)
  failure.message = `step ${step}, ${failure.action}: ${failure.message}`
  return failure
}

/** `fetch` reports only "fetch failed"; its cause has the reason. */
const causeText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { message } = (error.cause ?? error) as Error
  return message || error.message
}

const actionOf = (step: CaseStep): string => {
  if ('ask' in step) return `${step.ask.method ?? 'GET'} ${step.ask.path}`
  if ('open' in step) return `WebSocket ${step.path}`
  if ('answered' in step) return `the answer to ${step.answered}`
  return Object.entries(step)
    .slice(0, 1)
    .map(([verb, name]) => `${verb} ${name}`)
    .join('')
}

class CasePlayer {
  readonly saved: SavedValues
  readonly #url: string
  readonly #options: PlayOptions
  readonly #pending = new Map<string, Promise<Response>>()
  readonly #streams = new Map<string, readonly EventFrame[]>()
  readonly #sockets = new Map<string, CaseSocket>()

  constructor(url: string, options: PlayOptions) {
    this.#url = url.replace(/\/$/, '')
    this.#options = options
    this.saved = options.saved ?? new Map([['s', `s${Date.now().toString(36)}-${++cases}`]])
  }

  async play(step: CaseStep): Promise<void> {
    if ('begin' in step) {
      const response = this.#ask(step.ask)
      response.catch(() => {})
      this.#pending.set(step.begin, response)
    } else if ('stream' in step) await this.#stream(step)
    else if ('ask' in step) await this.#check(await this.#ask(step.ask), step.answer)
    else if ('answered' in step) await this.#check(await this.#pendingResponse(step.answered), step.answer)
    else if ('frames' in step) {
      const raw = (name: string) => this.#streams.get(name)?.map((frame) => frame.raw)
      same('frames', raw(step.frames), raw(step.are)?.slice(step.from))
    } else if ('open' in step) await this.#open(step)
    else if ('say' in step) this.#socket(step.say).send(messageText(step))
    else if ('hear' in step)
      await this.#socket(step.hear).waitForMessage((message) => findDifference(step.message, message, this.saved))
    else if ('heard' in step) {
      const socket = this.#socket(step.heard)
      await socket.until(() => socket.messages.length >= step.types.length).catch(() => {})
      same('types', socket.types(), step.types)
    } else if ('state' in step) {
      const socket = this.#socket(step.state)
      let problem: Difference | null = { at: 'state', expected: showValue(step.is), actual: 'nothing' }
      await socket
        .until(() => {
          problem = findDifference(step.is, socket.state(), this.saved)
          return problem === null
        })
        .catch(() => check(problem))
    } else if ('closed' in step) {
      const socket = this.#socket(step.closed)
      await socket.until(() => socket.closeCode !== null).catch(() => {})
      same('close code', socket.closeCode, step.code)
    } else this.#socket(step.hangUp).end()
  }

  end(): void {
    for (const socket of this.#sockets.values()) socket.end()
  }

  #ask(request: CaseRequest): Promise<Response> {
    const init = { ...this.#initOf(request), redirect: 'manual', signal: AbortSignal.timeout(this.#timeoutMs) } as const
    return fetch(`${this.#url}${request.path}`, init).catch((error: unknown) => {
      throw error instanceof Error && error.name === 'TimeoutError'
        ? new ServerTimeout('an answer', this.#timeoutMs)
        : error
    })
  }

  #initOf({ method = 'GET', headers = {}, ...content }: CaseRequest) {
    const body = bodyOf(content)
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    return { method, headers: { ...type, ...this.#credential, ...headers }, ...(body !== undefined && { body }) }
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? STEP_TIMEOUT_MS
  }

  get #credential(): { authorization?: string } {
    const { token } = this.#options
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  async #check(response: Response, { status, body, headers = {}, text }: AnswerPattern): Promise<void> {
    const answer = await response.text()
    if (response.status !== status) fail('status', String(status), `${response.status} ${answer}`)
    if (typeof text === 'object') this.saved.set(text.$save, answer)
    else if (text !== undefined) same('body', answer, text)
    if (body !== undefined) check(findDifference(body, json(answer), this.saved))
    check(findDifference(headers, Object.fromEntries(response.headers), this.saved))
  }

  async #stream({ stream, ask, until, types, last }: StreamStep): Promise<void> {
    const frames = await readStream(`${this.#url}${ask.path}`, this.#initOf(ask), until, this.#timeoutMs)
    this.#streams.set(stream, frames)
    if (types) {
      // Notices are optional, and their number depends on timing.
      const seen = frames.map(({ data }) => data.type).filter((type) => type !== 'notice')
      if (this.#options.isPaced) same('types', merged(seen), merged(types))
      else same('types', seen, types)
    }
    const ids = frames.flatMap(({ id }) => (id === null ? [] : [Number.parseInt(id, 10)]))
    if (ids.some((id, index) => index > 0 && !(id > (ids[index - 1] as number)))) fail('ids', 'increasing ids', ids)
    if (last) check(findDifference(last, frames.at(-1), this.saved))
  }

  async #open({ open, path, headers = {}, protocols = [], refused, protocol }: OpenStep): Promise<void> {
    const socket = await CaseSocket.open(
      `${this.#url}${path}`,
      protocols,
      { ...this.#credential, ...headers },
      this.#timeoutMs,
    )
    this.#sockets.get(open)?.end()
    this.#sockets.set(open, socket)
    if (refused && refused.status !== 101) {
      if (socket.refusal?.status !== refused.status)
        fail(
          'status',
          String(refused.status),
          socket.refusal ? `${socket.refusal.status} ${showValue(socket.refusal.body)}` : '101',
        )
      if (refused.body !== undefined) check(findDifference(refused.body, socket.refusal?.body, this.saved))
      return
    }
    if (socket.refusal !== null) fail('status', '101', `${socket.refusal.status} ${showValue(socket.refusal.body)}`)
    if (protocol !== undefined) same('subprotocol', socket.protocol, protocol)
  }

  #pendingResponse(name: string): Promise<Response> {
    return this.#pending.get(name) ?? fail('case', `a request called ${name}`, 'none')
  }

  #socket(name: string): CaseSocket {
    return this.#sockets.get(name) ?? fail('case', `a socket called ${name}`, 'none')
  }
}

const check = (problem: Difference | null): void => {
  if (problem !== null) throw new CaseFailure(problem)
}

const same = (at: string, actual: unknown, expected: unknown): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) fail(at, expected, actual)
}

const merged = (types: readonly string[]): string[] =>
  types.filter((type, index) => type !== 'text_delta' || types[index - 1] !== 'text_delta')

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return fail('body', 'JSON', text)
  }
}

const bodyOf = ({ body, script, raw, bytes }: Omit<CaseRequest, 'path'>): string | undefined => {
  if (raw !== undefined) return raw
  if (bytes !== undefined) return JSON.stringify({ prompt: 'x'.repeat(bytes) })
  if (script) return JSON.stringify({ prompt: `@script ${JSON.stringify(script)}`, ...(body as object) })
  return body === undefined ? undefined : JSON.stringify(body)
}

const messageText = ({ message, raw, bytes }: { message?: unknown; raw?: string; bytes?: number }): string => {
  if (raw !== undefined) return raw
  return bytes === undefined ? JSON.stringify(message) : JSON.stringify({ type: 'x', text: 'x'.repeat(bytes) })
}
