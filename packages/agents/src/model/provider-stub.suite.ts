// A provider on loopback that sends what a test tells it, and keeps the requests byte for byte. The two formats below it are those
// of Anthropic's Messages API and OpenAI's Responses API.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface StubReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  /** The end of the body: as it should be, the connection cut, or nothing more ever. */
  readonly end?: 'done' | 'cut' | 'open'
}

export interface ProviderStub {
  readonly url: string
  /** The bodies of the requests, as they came. */
  readonly requests: readonly string[]
  /** The paths of the requests, and the keys that came with them. */
  readonly addresses: readonly { readonly path: string; readonly key: string | undefined }[]
  /** Answers that are under way now. */
  underWay(): number
  /** The replies to the next requests. */
  reply(...replies: readonly StubReply[]): void
  close(): Promise<void>
}

export const startProviderStub = async (): Promise<ProviderStub> => {
  const requests: string[] = []
  const addresses: { path: string; key: string | undefined }[] = []
  const replies: StubReply[] = []
  const sockets = new Set<Socket>()
  const answers = new Set<ServerResponse>()
  const server = createServer(async (incoming, outgoing) => {
    answers.add(outgoing)
    outgoing.on('close', () => answers.delete(outgoing))
    let text = ''
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk
    requests.push(text)
    const { 'x-api-key': key, authorization } = incoming.headers
    addresses.push({ path: incoming.url ?? '', key: typeof key === 'string' ? key : authorization })
    const {
      status = 200,
      headers = {},
      body,
      end = 'done',
    } = replies.shift() ?? { status: 500, body: 'No reply is left.' }
    const isStream = status === 200 && body.startsWith('event: ')
    const type = body.startsWith('<') ? 'text/html' : isStream ? 'text/event-stream' : 'application/json'
    outgoing.writeHead(status, { 'content-type': type, ...headers })
    if (end === 'done') return void outgoing.end(body)
    outgoing.write(body, () => end === 'cut' && outgoing.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    addresses,
    underWay: () => answers.size,
    reply: (...next) => void replies.splice(0, replies.length, ...next),
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export interface StubStep {
  readonly thinking?: string
  readonly signature?: string
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly tool: string; readonly input: string }[]
}

const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
const halves = (text: string): string[] => [text.slice(0, text.length / 2), text.slice(text.length / 2)]

/** The events of an answer, without its end. */
export const anthropicEvents = ({ thinking, signature, text, calls = [] }: StubStep): string => {
  const usage = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const blocks = [
    ...(thinking === undefined
      ? []
      : [
          {
            content_block: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              ...halves(thinking).map((each) => ({ type: 'thinking_delta', thinking: each })),
              { type: 'signature_delta', signature },
            ],
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            content_block: { type: 'text', text: '' },
            deltas: halves(text).map((each) => ({ type: 'text_delta', text: each })),
          },
        ]),
    ...calls.map(({ id, tool, input }) => ({
      content_block: { type: 'tool_use', id, name: tool, input: {} },
      deltas: halves(input).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    })),
  ]
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'stub',
    content: [],
    stop_reason: null,
    usage,
  }
  return [
    event({ type: 'message_start', message } as never),
    ...blocks.flatMap(({ content_block, deltas }, index) => [
      event({ type: 'content_block_start', index, content_block } as never),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta } as never)),
      event({ type: 'content_block_stop', index } as never),
    ]),
  ].join('')
}

export const anthropicEnd = (stop: string): string =>
  event({
    type: 'message_delta',
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { input_tokens: 100, output_tokens: 20 },
  } as never) + event({ type: 'message_stop' })

/** The events of an answer, without its end. */
export const openaiEvents = ({ thinking, signature, text, calls = [] }: StubStep): string => {
  const events: object[] = [
    {
      type: 'response.created',
      response: { id: 'resp_1', object: 'response', created_at: 0, model: 'stub', output: [] },
    },
  ]
  let output_index = 0
  const item = (empty: object, whole: object, deltas: readonly object[]) => {
    events.push({ type: 'response.output_item.added', output_index, item: { ...whole, ...empty } })
    events.push(...deltas.map((delta) => ({ output_index, ...delta })))
    events.push({ type: 'response.output_item.done', output_index, item: whole })
    output_index += 1
  }
  if (thinking !== undefined) {
    const whole = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: thinking }],
      encrypted_content: signature,
    }
    const place = { item_id: 'rs_1', summary_index: 0 }
    item({ summary: [], encrypted_content: null }, whole, [
      { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
      ...halves(thinking).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
      { type: 'response.reasoning_summary_part.done', ...place, part: { type: 'summary_text', text: thinking } },
    ])
  }
  if (text !== undefined) {
    const content = [{ type: 'output_text', text, annotations: [] }]
    const whole = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }
    const place = { item_id: 'msg_1', content_index: 0 }
    const deltas = halves(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] }))
    item({ content: [], status: 'in_progress' }, whole, deltas)
  }
  for (const { id, tool, input } of calls) {
    const whole = {
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name: tool,
      arguments: input,
      status: 'completed',
    }
    const place = { item_id: `fc_${id}` }
    const deltas = halves(input).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta }))
    item({ arguments: '', status: 'in_progress' }, whole, deltas)
  }
  return events.map((each, sequence_number) => event({ ...each, sequence_number } as never)).join('')
}

export const openaiEnd = (): string =>
  event({
    type: 'response.completed',
    sequence_number: 1000,
    response: {
      id: 'resp_1',
      object: 'response',
      created_at: 0,
      model: 'stub',
      status: 'completed',
      output: [],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 120,
      },
    },
  } as never)
