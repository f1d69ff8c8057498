// A stub of the Anthropic Messages API on loopback, for the real engine to talk to.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { directive } from '../stub-directive.suite.ts'

export interface StubTurn {
  readonly blocks?: readonly StubBlock[]
  readonly stop?: string
  readonly usage?: { readonly [name: string]: number }
  /** Characters per delta. */
  readonly chunk?: number
  readonly delayMs?: number
  readonly firstDelayMs?: number
  /** An HTTP error instead of a stream. */
  readonly status?: number
  readonly errorType?: string
  readonly message?: string
  readonly retryAfter?: number
  /** The connection is cut after this many deltas. */
  readonly disconnectAfter?: number
  /** Only the first requests of this step fail, as many as this. */
  readonly times?: number
}
type StubBlock =
  | { readonly text: string }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly tool_use: string; readonly input?: object; readonly id?: string }

export interface AnthropicStubRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: StubBody
  readonly isAux: boolean
}
interface StubBody {
  readonly model?: string
  readonly stream?: boolean
  readonly tools?: readonly unknown[]
  readonly messages?: readonly StubMessage[]
}
interface StubMessage {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly text?: string }[]
}

export interface AnthropicStub {
  readonly url: string
  readonly requests: readonly AnthropicStubRequest[]
  close(): Promise<void>
}

export const startAnthropicStub = async (
  script: (request: AnthropicStubRequest) => StubTurn | undefined = () => undefined,
): Promise<AnthropicStub> => {
  const requests: AnthropicStubRequest[] = []
  const sockets = new Set<Socket>()
  const failures = new Map<string, number>()
  const server = createServer(async (incoming, outgoing) => {
    let raw = ''
    for await (const chunk of incoming) raw += chunk
    const { pathname: path } = new URL(incoming.url ?? '/', 'http://stub')
    const body = (raw.startsWith('{') ? JSON.parse(raw) : {}) as StubBody
    // Side calls of the engine (titles, probes, summaries) carry no tools.
    const isAux = !body.tools?.length
    const request = { method: incoming.method ?? '', path, headers: incoming.headers, body, isAux }
    requests.push(request)
    if (path === '/v1/messages/count_tokens') return answer(outgoing, 200, { input_tokens: Math.ceil(raw.length / 4) })
    if (path.startsWith('/v1/models')) return answer(outgoing, 200, { data: [], has_more: false })
    if (path !== '/v1/messages') return answer(outgoing, 404, failure('not_found_error', `${request.method} ${path}`))
    const { text, steps } = conversation(body.messages ?? [])
    const turns = directive(text) as StubTurn[] | null
    let turn: StubTurn = script(request) ??
      (isAux ? undefined : turns?.[Math.min(steps, turns.length - 1)]) ?? {
        blocks: [{ text: isAux ? 'A summary of the conversation.' : 'Hello from the stub.' }],
      }
    if (turn.times !== undefined) {
      const name = `${text}/${steps}`
      const count = (failures.get(name) ?? 0) + 1
      failures.set(name, count)
      if (count > turn.times) turn = { blocks: turn.blocks ?? [], ...(turn.usage && { usage: turn.usage }) }
    }
    await play(turn, body, outgoing)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** A prompt for the stub. */
export const stubbed = (...turns: readonly StubTurn[]): string => `@stub ${JSON.stringify(turns)}`

/**
 * The anchor is the newest user text with a directive, else the newest message without tool results; a step is a message
 * with tool results behind it. The engine merges user messages after an error and appends reminders to tool results, so
 * the text behind a message's last tool result is looked at on its own.
 */
export const conversation = (messages: readonly StubMessage[]): { text: string; steps: number } => {
  let steps = 0
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'user') continue
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const lastResult = blocks.findLastIndex(({ type }) => type === 'tool_result')
    const text = blocks
      .slice(lastResult + 1)
      .map((block) => block.text ?? '')
      .join('\n')
    if (lastResult < 0 || text.includes('@stub [')) return { text, steps }
    steps++
  }
  return { text: '', steps }
}

const play = async (turn: StubTurn, body: StubBody, outgoing: ServerResponse): Promise<void> => {
  const { blocks = [], chunk = 12, delayMs = 0, disconnectAfter, status = 200 } = turn
  if (turn.firstDelayMs) await sleep(turn.firstDelayMs)
  if (status >= 400) {
    const headers = turn.retryAfter === undefined ? {} : { 'retry-after': String(turn.retryAfter) }
    return answer(outgoing, status, failure(turn.errorType ?? 'api_error', turn.message ?? 'stub error'), headers)
  }
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 }
  Object.assign(usage, turn.usage)
  const stop = turn.stop ?? (blocks.some((block) => 'tool_use' in block) ? 'tool_use' : 'end_turn')
  const content = blocks.map(wireBlock)
  const message = {
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_sequence: null,
  }
  if (!body.stream) return answer(outgoing, 200, { ...message, content, stop_reason: stop, usage })
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (type: string, data: object) =>
    outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  say('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  })
  let sent = 0
  for (const [index, block] of content.entries()) {
    const [start, deltas] = streamed(block, chunk)
    say('content_block_start', { index, content_block: start })
    for (const delta of deltas) {
      if (disconnectAfter !== undefined && sent >= disconnectAfter) return void outgoing.destroy()
      if (outgoing.destroyed) return
      say('content_block_delta', { index, delta })
      sent++
      if (delayMs > 0) await sleep(delayMs)
    }
    say('content_block_stop', { index })
  }
  if (disconnectAfter !== undefined) return void outgoing.destroy()
  say('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage })
  say('message_stop', {})
  outgoing.end()
}

type WireBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: object }

const wireBlock = (block: StubBlock): WireBlock => {
  if ('tool_use' in block) {
    const id = block.id ?? `toolu_${randomUUID().replaceAll('-', '').slice(0, 20)}`
    return { type: 'tool_use', id, name: block.tool_use, input: block.input ?? {} }
  }
  if ('thinking' in block)
    return { type: 'thinking', thinking: block.thinking, signature: block.signature ?? 'c3R1Yi1zaWc=' }
  return { type: 'text', text: block.text }
}

const streamed = (block: WireBlock, size: number): [object, object[]] => {
  const pieces = (text: string) => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? ['']
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: '' }, pieces(block.text).map((text) => ({ type: 'text_delta', text }))]
    case 'thinking':
      return [
        { type: 'thinking', thinking: '', signature: '' },
        [
          ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      ]
    case 'tool_use':
      return [
        { ...block, input: {} },
        pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ]
  }
}

const failure = (type: string, message: string) => ({ type: 'error', error: { type, message } })

const answer = (outgoing: ServerResponse, status: number, body: object, headers: object = {}): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
  outgoing.end(JSON.stringify(body))
}
