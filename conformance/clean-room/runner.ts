// A sandbox runner written from the document "Harness Server" alone: `POST /query` streams a run, `GET /health` says whether one
// is under way. It imports nothing of Bridle and knows nothing of its additions: no frame ids, no comments, no `instance`,
// no acknowledgements, no approvals, no `PUT /env`. Dropping the request is the only way to cancel.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A step of the agent: text, a tool, or the end by an error. Silence is the time that the agent takes between two. */
export type CleanStep = { readonly text: string } | { readonly tool: string } | { readonly error: string }
export type CleanAgent = (prompt: string, signal: AbortSignal) => AsyncIterable<CleanStep>

export interface CleanRunner {
  readonly url: string
  readonly prompts: readonly string[]
  /** Prompts whose request was dropped before their run had ended. */
  readonly dropped: readonly string[]
  /** How often `/health` was asked. */
  readonly healthRequests: number
  /** For a test: `/health` tells the truth, or that nothing is under way, or fails. */
  health: 'true' | 'not busy' | 'failing'
  hasKey: boolean
  close(): Promise<void>
}

export const startCleanRunner = async (agent: CleanAgent): Promise<CleanRunner> => {
  const prompts: string[] = []
  const dropped: string[] = []
  let runs = 0
  let isBusy = false
  let asked = 0
  let health: CleanRunner['health'] = 'true'
  let hasKey = true

  const query = async (prompt: string, response: ServerResponse) => {
    const leave = new AbortController()
    isBusy = true
    prompts.push(prompt)
    response.on('close', () => leave.abort())
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (type: string, fields: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
    runs += 1
    send('run.started', { requestId: `run-${runs}` })
    let result = ''
    let tools = 0
    let failure: string | null = null
    try {
      for await (const step of agent(prompt, leave.signal)) {
        if (leave.signal.aborted) break
        if ('error' in step) failure = step.error
        else if ('tool' in step) {
          tools += 1
          send('tool.started', { toolName: step.tool, toolUseId: `run-${runs}-tool-${tools}` })
        } else {
          result += step.text
          send('assistant.delta', { text: step.text })
        }
        if (failure !== null) break
      }
    } catch (error) {
      failure = String(error)
    }
    if (leave.signal.aborted) dropped.push(prompt)
    else if (failure !== null) send('run.error', { message: failure })
    else send('run.completed', { result })
    isBusy = false
    response.end()
  }

  const server = createServer(async (request, response): Promise<unknown> => {
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    let text = ''
    for await (const piece of request) text += piece
    if (request.method === 'GET' && request.url === '/health') {
      asked += 1
      if (health === 'failing') return response.writeHead(500).end()
      return json(200, { ok: true, busy: isBusy && health === 'true', hasAnthropicKey: hasKey })
    }
    if (request.method !== 'POST' || request.url !== '/query') return response.writeHead(404).end()
    if (isBusy) return response.writeHead(409).end()
    return query((JSON.parse(text) as { prompt: string }).prompt, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    prompts,
    dropped,
    get healthRequests() {
      return asked
    },
    get health() {
      return health
    },
    set health(given) {
      health = given
    },
    get hasKey() {
      return hasKey
    },
    set hasKey(given) {
      hasKey = given
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
