// An MCP server that demands a credential, over streamable HTTP; and one as a program, for a sandbox.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listening } from './mcp-world.suite.ts'
import type { McpMessage } from './messages.ts'

export interface DemandingServer {
  readonly url: string
  /** The names of the calls that were made, with their arguments. */
  readonly calls: readonly { readonly name: string; readonly input: object }[]
  /** How often a request came without the credential. */
  readonly refused: () => number
  /** Lets the calls of `pay` end. */
  readonly release: () => void
  readonly close: () => Promise<void>
}

const schema = { type: 'object', properties: { query: { type: 'string' } } }
const FORM = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

export const startDemandingServer = async (credential: string): Promise<DemandingServer> => {
  const calls: { name: string; input: object }[] = []
  const answers = new Map<unknown, (message: McpMessage) => void>()
  const released = Promise.withResolvers<void>()
  let refused = 0
  let sessions = 0
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const body = await text(request)
    if (request.headers.authorization !== credential) {
      refused += 1
      return response.writeHead(401).end()
    }
    if (request.method === 'DELETE') return response.writeHead(200).end()
    if (request.method !== 'POST') return response.writeHead(405).end()
    const message = JSON.parse(body) as McpMessage
    const { id, method, params } = message as unknown as { id?: unknown; method?: string; params?: never }
    if (id === undefined || method === undefined) {
      answers.get(id)?.(message)
      return response.writeHead(202).end()
    }
    const say = (result: object, headers = {}) =>
      response
        .writeHead(200, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    if (method === 'initialize') {
      const { protocolVersion } = params as unknown as { protocolVersion: string }
      const serverInfo = { name: 'docs', version: '1' }
      sessions += 1
      return say(
        { protocolVersion, capabilities: { tools: {} }, serverInfo },
        { 'mcp-session-id': `session-${sessions}` },
      )
    }
    if (method === 'tools/list')
      return say({
        tools: ['search', 'ask', 'pay', 'left_out'].map((name) => ({ name, description: name, inputSchema: schema })),
      })
    if (method !== 'tools/call') return say({})
    const { name, arguments: input = {} } = params as unknown as { name: string; arguments?: object }
    calls.push({ name, input })
    if (name === 'pay') await released.promise
    const result = (words: string) => ({ content: [{ type: 'text', text: words }] })
    if (name !== 'ask')
      return say(result(`${name} found ${JSON.stringify(input)} for ${request.headers.authorization}`))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const asked = `e${calls.length}`
    const heard = new Promise<McpMessage>((resolve) => answers.set(asked, resolve))
    const write = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`)
    const question = { mode: 'form', message: 'Where to?', requestedSchema: FORM }
    write({ jsonrpc: '2.0', id: asked, method: 'elicitation/create', params: question })
    write({ jsonrpc: '2.0', id, result: result(JSON.stringify((await heard).result)) })
    return response.end()
  }
  const { url, close } = await listening(handle)
  return { url: `${url}/mcp`, calls, refused: () => refused, release: released.resolve, close }
}

/** A program with one tool, `look`, which returns its process id, its folder and its environment. */
export const LOOK_PROGRAM = `
import { createInterface } from 'node:readline'
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
const inputSchema = { type: 'object', properties: {} }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'initialize')
    say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'files', version: '1' } })
  else if (method === 'tools/list') say(id, { tools: [{ name: 'look', description: 'look', inputSchema }] })
  else if (method === 'tools/call')
    say(id, { content: [{ type: 'text', text: JSON.stringify({ pid: process.pid, folder: process.cwd(), env: process.env }) }] })
  else say(id, {})
})
`
