// A stub of the OpenAI Responses API on loopback. Each model step of a turn is scripted in the prompt
// (stub-directive.suite.ts); the step is the number of tool outputs that came after that prompt.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { directive } from '../stub-directive.suite.ts'

export type ResponsesStubItem =
  | { text: string }
  | { reasoning: string }
  | { call: string; args?: object; id?: string; namespace?: string }
  | { custom: string; input?: string; id?: string }

export interface ResponsesStubStep {
  items?: ResponsesStubItem[]
  usage?: { input_tokens?: number; output_tokens?: number; cached_tokens?: number; reasoning_tokens?: number }
  /** Characters per delta. */
  chunk?: number
  delayMs?: number
  /** An HTTP error instead of a stream. */
  status?: number
  message?: string
  errorType?: string
  code?: string
  /** `response.failed` after the items. */
  failed?: { code: string; message: string }
  /** The socket is cut after this many deltas. */
  disconnectAfter?: number
  /** This step answers only as many requests as this; later requests get the next step. */
  times?: number
}

export interface ResponsesStubRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: { model?: string; input?: InputItem[]; tools?: { name?: string; type: string }[] }
  readonly step: ResponsesStubStep | null
}

interface InputItem {
  readonly type?: string
  readonly role?: string
  readonly call_id?: string
  readonly output?: unknown
  readonly content?: string | { text?: string }[]
}

export interface ResponsesStub {
  /** The base that an engine appends `/responses` to. */
  readonly url: string
  readonly requests: ResponsesStubRequest[]
  close(): Promise<void>
}

export const responsesStub = async (): Promise<ResponsesStub> => {
  const requests: ResponsesStubRequest[] = []
  const sockets = new Set<Socket>()
  const answered = new Map<string, number>()

  const stepOf = (input: readonly InputItem[]): ResponsesStubStep => {
    const { text, outputs } = lastPrompt(input)
    const steps = directive(text) as ResponsesStubStep[] | null
    if (!steps) return { items: [{ text: 'Hello from the stub.' }] }
    let at = Math.min(outputs, steps.length - 1)
    for (; steps[at]!.times !== undefined && at < steps.length - 1; at++) {
      const key = `${at} ${text}`
      const count = answered.get(key) ?? 0
      answered.set(key, count + 1)
      if (count < steps[at]!.times!) break
    }
    return steps[at]!
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const path = new URL(request.url ?? '/', 'http://stub').pathname
    const body = parsed(Buffer.concat(chunks).toString())
    const asked = request.method === 'POST' && path.endsWith('/responses')
    const step = asked ? stepOf(body.input ?? []) : null
    requests.push({ method: request.method ?? '', path, headers: request.headers, body, step })
    if (path.endsWith('/models')) return json(response, 200, { object: 'list', data: [], models: [] })
    if (!step) return json(response, 404, { error: { message: `stub: ${request.method} ${path}`, type: 'not_found' } })
    const { status, message = 'stub error', errorType: type = 'server_error', code = null } = step
    if (status) return json(response, status, { error: { message, type, code } })
    await stream(response, step, body.model ?? 'stub')
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/openai/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

/** Text with the user's role that the engine puts before the first prompt. */
const preamble = /^\s*<(environment_context|user_instructions|permissions|skills|subagent_notification|turn_aborted)/

const lastPrompt = (input: readonly InputItem[]): { text: string; outputs: number } => {
  let outputs = 0
  for (const item of input.toReversed()) {
    if (/_output$/.test(item.type ?? '')) outputs++
    if (item.role !== 'user') continue
    const { content = '' } = item
    const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n')
    if (!preamble.test(text)) return { text, outputs }
  }
  return { text: '', outputs }
}

const stream = async (response: ServerResponse, step: ResponsesStubStep, model: string): Promise<void> => {
  let sequence = 0
  let deltas = 0
  const say = (type: string, more: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`)
  /** False: the stream is over. */
  const delta = async (type: string, more: object): Promise<boolean> => {
    say(type, more)
    if (step.disconnectAfter !== undefined && ++deltas > step.disconnectAfter) response.destroy()
    if (step.delayMs) await new Promise((resolve) => setTimeout(resolve, step.delayMs))
    else if (deltas % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
    return !response.destroyed
  }

  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const base = { id: id('resp'), object: 'response', created_at: 0, model, output: [], status: 'in_progress' }
  say('response.created', { response: base })
  const output: object[] = []
  for (const [index, scripted] of (step.items ?? []).entries()) {
    const item = itemOf(scripted)
    const place = { item_id: item.id, output_index: index }
    say('response.output_item.added', { output_index: index, item: { ...item, ...item.empty, empty: undefined } })
    if (item.type === 'reasoning') {
      const part = { type: 'summary_text', text: '' }
      say('response.reasoning_summary_part.added', { ...place, summary_index: 0, part })
    }
    const [type, where] = DELTAS[item.type] ?? []
    for (const piece of type ? pieces(item.text, step.chunk ?? 12) : [])
      if (!(await delta(type!, { ...place, ...where, delta: piece }))) return
    const { empty: _empty, text: _text, ...whole } = item
    say('response.output_item.done', { output_index: index, item: whole })
    output.push(whole)
  }
  if (step.failed) say('response.failed', { response: { ...base, status: 'failed', error: step.failed } })
  else say('response.completed', { response: { ...base, status: 'completed', output, usage: usageOf(step) } })
  response.end()
}

const DELTAS: Record<string, [string, object]> = {
  message: ['response.output_text.delta', { content_index: 0 }],
  reasoning: ['response.reasoning_summary_text.delta', { summary_index: 0 }],
}

interface ResponseItem {
  readonly type: string
  readonly id: string
  readonly text: string
  /** As it is announced, before its deltas. */
  readonly empty: object
}

const itemOf = (item: ResponsesStubItem): ResponseItem => {
  if ('call' in item) {
    const { call: name, args = {}, id: call_id = id('call'), namespace } = item
    const call = { name, call_id, arguments: JSON.stringify(args), ...(namespace && { namespace }) }
    return { type: 'function_call', id: id('fc'), status: 'completed', ...call, text: '', empty: {} } as ResponseItem
  }
  if ('custom' in item) {
    const { custom: name, input = '', id: call_id = id('call') } = item
    const call = { name, call_id, input }
    return {
      type: 'custom_tool_call',
      id: id('ctc'),
      status: 'completed',
      ...call,
      text: '',
      empty: {},
    } as ResponseItem
  }
  if ('reasoning' in item) {
    const summary = [{ type: 'summary_text', text: item.reasoning }]
    const said = { summary, encrypted_content: null, text: item.reasoning }
    return { type: 'reasoning', id: id('rs'), ...said, empty: { summary: [] } } as ResponseItem
  }
  const content = [{ type: 'output_text', text: item.text, annotations: [] }]
  const said = { role: 'assistant', status: 'completed', content, text: item.text }
  return { type: 'message', id: id('msg'), ...said, empty: { content: [], status: 'in_progress' } } as ResponseItem
}

const usageOf = ({ usage = {} }: ResponsesStubStep): object => {
  const { input_tokens = 100, output_tokens = 20, cached_tokens = 0, reasoning_tokens = 0 } = usage
  return {
    input_tokens,
    input_tokens_details: { cached_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input_tokens + output_tokens,
  }
}

const pieces = (text: string, chars: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${chars}}`, 'g')) ?? []
const id = (kind: string): string => `${kind}_${randomUUID().slice(0, 12)}`

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

const parsed = (text: string): ResponsesStubRequest['body'] => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
