// Plays one case against one server, step by step.
import { strict as assert } from 'node:assert'
import { type Frame, watch } from '../packages/bridle/src/surfaces/http/client.suite.ts'
import type { Answer, Ask, Case, OpenStep, Step, StreamStep } from './case.ts'
import { filled, misfit, type Saved } from './match.ts'
import { CaseSocket } from './socket.ts'

let cases = 0

export const play = async (url: string, { steps }: Case): Promise<void> => {
  const stage = new Stage(url, `s${Date.now().toString(36)}-${++cases}`)
  try {
    for (const [index, step] of steps.entries()) {
      await stage.play(filled(step, stage.saved)).catch((error: unknown) => {
        throw new Error(`step ${index + 1}: ${error instanceof Error ? error.message : error}\n${JSON.stringify(step)}`)
      })
    }
  } finally {
    stage.end()
  }
}

class Stage {
  readonly saved: Saved
  readonly #url: string
  readonly #begun = new Map<string, Promise<Response>>()
  readonly #streams = new Map<string, readonly Frame[]>()
  readonly #sockets = new Map<string, CaseSocket>()

  constructor(url: string, session: string) {
    this.#url = url
    this.saved = new Map([['s', session]])
  }

  async play(step: Step): Promise<void> {
    if ('begin' in step) {
      const asked = this.#ask(step.ask)
      asked.catch(() => {})
      this.#begun.set(step.begin, asked)
    } else if ('stream' in step) await this.#stream(step)
    else if ('ask' in step) await this.#check(await this.#ask(step.ask), step.answer)
    else if ('answered' in step) await this.#check(await this.#begunAs(step.answered), step.answer)
    else if ('frames' in step) {
      const raw = (name: string) => this.#streams.get(name)?.map((frame) => frame.raw)
      assert.deepEqual(raw(step.frames), raw(step.are)?.slice(step.from))
    } else if ('open' in step) await this.#open(step)
    else if ('say' in step) this.#socket(step.say).say(spoken(step))
    else if ('hear' in step) await this.#socket(step.hear).hear((message) => misfit(step.message, message, this.saved))
    else if ('heard' in step) {
      const socket = this.#socket(step.heard)
      await socket.until(() => socket.heard.length >= step.types.length)
      assert.deepEqual(socket.types(), step.types)
    } else if ('state' in step) {
      const socket = this.#socket(step.state)
      let problem: string | null = 'nothing was said'
      await socket
        .until(() => {
          problem = misfit(step.is, socket.state(), this.saved)
          return problem === null
        })
        .catch((error) => assert.fail(`${error.message}: ${problem}`))
    } else if ('closed' in step) {
      const socket = this.#socket(step.closed)
      await socket.until(() => socket.closed !== null)
      assert.equal(socket.closed, step.code)
    } else this.#socket(step.hangUp).end()
  }

  end(): void {
    for (const socket of this.#sockets.values()) socket.end()
  }

  #ask({ method = 'GET', path, headers = {}, ...given }: Ask): Promise<Response> {
    const body = bodyOf(given)
    return fetch(`${this.#url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
      redirect: 'manual',
    })
  }

  async #check(response: Response, { status, body, headers = {}, text }: Answer): Promise<void> {
    const said = await response.text()
    assert.equal(response.status, status, `answered ${response.status}: ${said.slice(0, 500)}`)
    if (text !== undefined) assert.equal(said, text)
    const problem =
      (body === undefined ? null : misfit(body, JSON.parse(said), this.saved)) ??
      misfit(headers, Object.fromEntries(response.headers), this.saved)
    if (problem !== null) assert.fail(problem)
  }

  async #stream({ stream, ask, until, types, last }: StreamStep): Promise<void> {
    const { headers = {}, path } = ask
    const isThere = (frames: readonly Frame[]) => frames.at(-1)?.data.type === until
    const frames = await (await watch(`${this.#url}${path}`, isThere, headers)).frames
    this.#streams.set(stream, frames)
    assert.ok(isThere(frames), `the stream ended without ${until}`)
    if (types)
      assert.deepEqual(
        frames.map(({ data }) => data.type),
        types,
      )
    const ids = frames.flatMap(({ id }) => (id === null ? [] : [Number(id)]))
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
      'ids do not increase',
    )
    const problem = last ? misfit(last, frames.at(-1), this.saved) : null
    if (problem !== null) assert.fail(problem)
  }

  async #open({ open, path, headers = {}, protocols = [], refused, protocol }: OpenStep): Promise<void> {
    const socket = await CaseSocket.open(`${this.#url}${path}`, protocols, headers)
    if (refused && refused.status !== 101) {
      assert.equal(socket.refusal?.status, refused.status, `answered ${JSON.stringify(socket.refusal)}`)
      const problem = refused.body === undefined ? null : misfit(refused.body, socket.refusal?.body, this.saved)
      if (problem !== null) assert.fail(problem)
      return
    }
    assert.equal(socket.refusal, null)
    if (protocol !== undefined) assert.equal(socket.protocol, protocol)
    this.#sockets.get(open)?.end()
    this.#sockets.set(open, socket)
  }

  #begunAs(name: string): Promise<Response> {
    return this.#begun.get(name) ?? assert.fail(`${name} was not begun`)
  }

  #socket(name: string): CaseSocket {
    return this.#sockets.get(name) ?? assert.fail(`there is no socket ${name}`)
  }
}

const bodyOf = ({ body, script, raw, bytes }: Omit<Ask, 'path'>): string | undefined => {
  if (raw !== undefined) return raw
  if (bytes !== undefined) return JSON.stringify({ prompt: 'x'.repeat(bytes) })
  if (script) return JSON.stringify({ prompt: `@script ${JSON.stringify(script)}`, ...(body as object) })
  return body === undefined ? undefined : JSON.stringify(body)
}

const spoken = ({ message, raw, bytes }: { message?: unknown; raw?: string; bytes?: number }): string => {
  if (raw !== undefined) return raw
  return bytes === undefined ? JSON.stringify(message) : JSON.stringify({ type: 'x', text: 'x'.repeat(bytes) })
}
