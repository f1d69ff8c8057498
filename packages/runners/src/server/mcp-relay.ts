// Forwards MCP requests of engines from the relay to the server. A run outlives its server, and so do its requests: they wait while the
// server is down. A request without an answer is sent again with a mark, and the server decides whether to repeat it.
import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { objectOf } from '@bridle/events/json'
import { MCP_MOUNT, REPEATED_HEADER, readMcpBody, refusedId } from '../credentials/mcp-route.ts'
import { isProxyRefusal, type SpendLedger } from '../credentials/spending/spend-ledger.ts'
import type { McpReply } from '../mcp/handler.ts'
import {
  isAnswerTo,
  type McpId,
  type McpMessage,
  mcpError,
  parseMcpMessage,
  requestId,
  SESSION_HEADER,
} from '../mcp/messages.ts'
import { writeMcpReply } from '../mcp/reply-writer.ts'
import { EventTooLongError, MCP_MESSAGE_CHARS_MAX, readSseEvents, type SseEvent } from '../mcp/sse-events.ts'
import { AWAY, SERVER_RETRY_MS, type UnreachableVerdict } from './relay-exchange.ts'

/** A server that has just started may not have resumed its runs yet. */
const UNKNOWN_RUN_MS = 10_000

/** The current address for the run's requests, and its token. */
export interface McpTarget {
  readonly url: string
  readonly token: string
}

export interface McpRelayTerms {
  readonly server: string
  /** Null: the run has ended or cannot reach the server. */
  readonly target: () => McpTarget | null
  readonly onUnreachable: (sinceMs: number) => UnreachableVerdict
  readonly slots: Pick<SpendLedger, 'openSlot'>
  /** Called when `initialize` fails, because engines do not report the reason. */
  readonly onInitializeError?: (message: string) => void
  readonly commentMs?: number
}

export const relayMcpRequest = async (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  terms: McpRelayTerms,
): Promise<void> => {
  const refuse = (status: number, text: string, id: McpId | null = null) => {
    if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(mcpError(id, text)))
  }
  const { method = '' } = incoming
  if (!['POST', 'GET', 'DELETE'].includes(method)) return refuse(405, 'Only POST, GET, and DELETE are supported.')
  const slot = terms.slots.openSlot()
  if (isProxyRefusal(slot)) {
    const id = await refusedId(incoming)
    return refuse(id === null ? 429 : 200, slot[1], id)
  }
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  try {
    const body = await readMcpBody(incoming, slot.addBytes, left.signal)
    if ('problem' in body) return refuse(body.status, body.problem)
    const { message } = body
    const id = message && requestId(message)
    const exchange = new RelayedExchange({ ...terms, method, message, id, signal: left.signal }, keptHeaders(incoming))
    const { commentMs } = terms
    const holdsHead = message?.method === 'initialize'
    const reply = exchange.reply()
    const noteError = (answer: McpReply) => {
      const problem = errorMessage(answer)
      if (problem !== null && !left.signal.aborted) terms.onInitializeError?.(problem)
    }
    if (holdsHead) reply.then(noteError, () => {})
    await writeMcpReply(outgoing, reply, { id, holdsHead, ...(commentMs !== undefined && { commentMs }) })
  } finally {
    slot.release()
  }
}

const errorMessage = (reply: McpReply): string | null => {
  const { message } = objectOf('message' in reply ? objectOf(reply.message).error : null)
  return typeof message === 'string' ? message : null
}

interface Exchange extends McpRelayTerms {
  readonly method: string
  readonly message: McpMessage | null
  readonly id: McpId | null
  readonly signal: AbortSignal
}

interface Refusal {
  readonly refusal: { readonly status: number; readonly message: McpMessage }
}

class RelayedExchange {
  readonly #exchange: Exchange
  #headers: { readonly [name: string]: string }
  /** The request may have reached the server. */
  #isRepeated = false
  #awaySince: number | null = null
  /** The first 403 since the server was last away. */
  #unknownSince: number | null = null

  constructor(exchange: Exchange, headers: { readonly [name: string]: string }) {
    this.#exchange = exchange
    this.#headers = headers
  }

  async reply(): Promise<McpReply> {
    for (;;) {
      const answer = await this.#answer()
      if ('refusal' in answer) return answer.refusal
      const { statusCode: status = 502, headers } = answer
      const session = headers[SESSION_HEADER]
      const head = { status, ...(typeof session === 'string' && { headers: { [SESSION_HEADER]: session } }) }
      if (isStream(answer)) return { ...head, events: this.#events(answer) }
      const message = await readMessage(answer, this.#exchange.id).catch(() => undefined)
      // The connection broke within the answer.
      if (message === undefined) this.#broken()
      else return { ...head, ...(message && { message }) }
    }
  }

  #broken(): void {
    this.#isRepeated = true
    this.#awaySince = Date.now()
  }

  /** Continues with the next process's answer if a stream breaks. */
  async *#events(first: IncomingMessage): AsyncGenerator<SseEvent, void, undefined> {
    const { id, signal } = this.#exchange
    let isAnswered = false
    for (let answer = first; ; ) {
      try {
        for await (const event of readSseEvents(answer)) {
          if (event.id !== undefined && this.#exchange.method === 'GET')
            this.#headers = { ...this.#headers, 'last-event-id': event.id }
          const message = parseMcpMessage(event.data)
          isAnswered ||= id !== null && message !== null && isAnswerTo(message, id)
          yield event
        }
        return
      } catch (error) {
        if (signal.aborted || isAnswered) return
        // The same event would come again.
        if (error instanceof EventTooLongError) {
          if (id !== null) yield { data: JSON.stringify(mcpError(id, TOO_LARGE)) }
          return
        }
      }
      this.#broken()
      const next = await this.#answer()
      if ('refusal' in next) return yield { data: JSON.stringify(next.refusal.message) }
      if (!isStream(next)) {
        const message = await readMessage(next, id).catch(() => null)
        const said = message ?? (id === null ? null : mcpError(id, SERVER_GONE))
        if (said) yield { data: JSON.stringify(said) }
        return
      }
      answer = next
    }
  }

  /** The head of the server's answer, or a refusal. Waits while the server is down. */
  async #answer(): Promise<IncomingMessage | Refusal> {
    const { server, target, onUnreachable, id, signal } = this.#exchange
    const refuse = (text: string, status = 502): Refusal => ({
      refusal: { status: id === null ? status : 200, message: mcpError(id, text) },
    })
    for (;;) {
      const at = target()
      if (!at) return refuse('The run has ended.', 403)
      const answer = await this.#send(`${at.url.replace(/\/+$/, '')}${MCP_MOUNT}/${server}`, at.token)
      if (signal.aborted) return refuse('The engine closed the connection.')
      if (typeof answer !== 'string') {
        if (isGateway(answer)) {
          this.#isRepeated = true
          this.#unknownSince = null
        } else if (!this.#mayBecomeKnown(answer)) {
          this.#awaySince = null
          this.#unknownSince = null
          return answer
        }
        answer.destroy()
      } else if (!AWAY.has(answer)) return refuse(SERVER_GONE)
      else this.#unknownSince = null
      this.#awaySince ??= Date.now()
      // The next process of the server has set its address in the meantime.
      if (target()?.url !== at.url) continue
      const verdict = onUnreachable(Date.now() - this.#awaySince)
      if (verdict !== 'wait') return refuse(SERVER_GONE)
      await sleep(SERVER_RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** The time counts from the first refusal: the server may have been away for longer. */
  #mayBecomeKnown({ statusCode }: IncomingMessage): boolean {
    if (statusCode !== 403 || this.#awaySince === null) return false
    this.#unknownSince ??= Date.now()
    return Date.now() - this.#unknownSince <= UNKNOWN_RUN_MS
  }

  /** Returns an error code if the request fails. */
  #send(url: string, token: string): Promise<IncomingMessage | string> {
    const { method, message, signal } = this.#exchange
    const body = message && JSON.stringify(message)
    const headers = {
      ...this.#headers,
      ...(body !== null && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      ...(this.#isRepeated && { [REPEATED_HEADER]: '1' }),
      authorization: `Bearer ${token}`,
    }
    return new Promise((resolve) => {
      if (!URL.canParse(url)) return resolve('invalid')
      const ask = url.startsWith('https:') ? requestHttps : requestHttp
      // Always a new connection: a request that fails before it is established has not arrived.
      const request = ask(url, { method, headers, agent: false, signal })
      let isConnected = false
      request.once('socket', (socket) => socket.once('connect', () => (isConnected = true)))
      request.once('response', resolve)
      request.on('error', (error: NodeJS.ErrnoException) => {
        this.#isRepeated ||= isConnected
        resolve(error.code ?? 'unknown')
      })
      request.end(body ?? undefined)
    })
  }
}

const SERVER_GONE = 'The Bridle server, which forwards requests to MCP servers, cannot be reached.'

/** A gateway in front of a restarting server. Refusals of the server itself are JSON. */
const isGateway = ({ statusCode = 0, headers }: IncomingMessage): boolean =>
  [502, 503, 504].includes(statusCode) && !headers['content-type']?.startsWith('application/json')

const isStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false

const KEPT = /^(accept|last-event-id|mcp-[a-z0-9-]+)$/

const keptHeaders = ({ headers }: IncomingMessage): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && KEPT.test(entry[0]),
    ),
  )

const TOO_LARGE = `The answer has more than ${MCP_MESSAGE_CHARS_MAX} bytes. The request has happened.`

/** Null: no message. */
const readMessage = async (answer: IncomingMessage, id: McpId | null): Promise<McpMessage | null> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.byteLength
    if (bytes > MCP_MESSAGE_CHARS_MAX) return id === null ? null : mcpError(id, TOO_LARGE)
    parts.push(part)
  }
  return parseMcpMessage(Buffer.concat(parts).toString('utf8'))
}
