// A server connection: handshake, tool list and calls. Every failure becomes an `McpError`.

import { shortErrorMessage } from '@bridle/agents/session/error-message'
import { TIMER_MS_MAX } from '@bridle/agents/session/limits'
import { orAbort } from '@bridle/agents/session/or-abort'
import type { ElicitationResult } from '@bridle/events/elicitation'
import { isJsonObject, type JsonObject } from '@bridle/events/json'
import type { Client, ElicitResult, Transport } from '@modelcontextprotocol/client'
import type { CallResult } from './call-result.ts'
import { Callers, ELICITATION_CAPABILITY, ElicitationProblem, elicit, type McpCaller } from './elicitation.ts'
import { McpError, type McpErrorCode } from './errors.ts'
import { httpTransport } from './http-transport.ts'
import { CLOSE_MS_MAX } from './limits.ts'
import { type ListedTool, parseListedTool } from './listed-tool.ts'
import { isWorker, loadClient, type McpClientModule } from './platform.ts'
import { isProgram, type McpRun, type McpServer } from './server.ts'

/** Larger servers are catalogues, from which an agent selects with `include`. */
const TOOLS_MAX = 1_000
/** Questions of a server per call. Longer dialogues are the model's job. */
const ROUNDS_MAX = 10
/** Gives up on an endless tool list after some seconds. */
const PAGES_MAX = 100

export class McpConnection {
  readonly #module: McpClientModule
  readonly #server: McpServer
  readonly #client: Client
  readonly #transport: ReturnType<TransportMaker>
  #fault: McpError | null = null
  #hasChanged = false
  #hasAsked = false
  readonly #callers = new Callers()
  /** Answers to server questions that are still being sent. */
  readonly #unsent = new Set<Promise<unknown>>()

  private constructor(
    module: McpClientModule,
    server: McpServer,
    makeTransport: TransportMaker,
    mode: 'legacy' | 'auto',
  ) {
    this.#module = module
    this.#server = server
    this.#transport = makeTransport((fault) => this.#end(fault))
    const send = this.#transport.send.bind(this.#transport)
    this.#transport.send = (message, options) =>
      'method' in message ? send(message, options) : this.#track(send(message, options))
    // The server may ask a person. It gets neither model completions nor folders.
    this.#client = new module.Client(
      { name: 'bridle', version: '1' },
      {
        capabilities: ELICITATION_CAPABILITY,
        versionNegotiation: { mode },
        // Handled here, because the client cannot tell which call a question belongs to.
        inputRequired: { autoFulfill: false },
      },
    )
    this.#client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      this.#answer(() => elicit(server.name, params, this.#callers.current(), mcpReq.signal) as Promise<ElicitResult>),
    )
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => {
      this.#hasChanged = true
    })
    this.#client.onclose = () => this.#end(this.#error('mcp_connection_lost', 'The connection is closed.'))
    this.#client.onerror = (error) => {
      if (error instanceof SyntaxError) this.#end(this.#error('mcp_bad_message', 'The server sends broken messages.'))
    }
  }

  /** Rejects when the signal aborts. A failed attempt leaves nothing open. */
  static async open(server: McpServer, run: McpRun | null, signal: AbortSignal): Promise<McpConnection> {
    const module = await loadClient(server.name)
    // Nearly all servers support the legacy handshake. One that refuses it may support only the 2026 handshake.
    const first = await McpConnection.#attempt(module, server, run, 'legacy', signal)
    if (first instanceof McpConnection) return first
    const second = first.isAnswer ? await McpConnection.#attempt(module, server, run, 'auto', signal) : first
    if (second instanceof McpConnection) return second
    throw first.error
  }

  static async #attempt(
    module: McpClientModule,
    server: McpServer,
    run: McpRun | null,
    mode: 'legacy' | 'auto',
    signal: AbortSignal,
  ): Promise<McpConnection | { readonly error: McpError; readonly isAnswer: boolean }> {
    const connection = new McpConnection(module, server, await transportMaker(module, server, run), mode)
    try {
      await orAbort(connection.#client.connect(connection.#transport, { timeout: TIMER_MS_MAX }), signal)
      return connection
    } catch (cause) {
      const { message } = connection.#reason(cause)
      void connection.close()
      signal.throwIfAborted()
      const isRefused = cause instanceof module.SdkHttpError && cause.status === 400
      return {
        error: connection.#error('mcp_unavailable', message, cause),
        isAnswer: isRefused || cause instanceof module.ProtocolError,
      }
    }
  }

  get isOpen(): boolean {
    return this.#fault === null
  }

  async listTools(takes: (name: string) => boolean, signal: AbortSignal): Promise<ListedTool[]> {
    const tools = new Map<string, ListedTool>()
    let cursor: string | undefined
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const params = cursor === undefined ? {} : { cursor }
      const result = await this.#settled(
        signal,
        // Parsed here, because the client rejects the whole list for one invalid tool.
        this.#client.request({ method: 'tools/list', params }, anything, { signal, timeout: TIMER_MS_MAX }),
      )
      const listed = isJsonObject(result) && Array.isArray(result.tools) ? result.tools : []
      for (const entry of listed) {
        const name = isJsonObject(entry) ? entry.name : null
        const tool = typeof name === 'string' && takes(name) ? parseListedTool(this.#server.name, entry) : null
        if (tool && !tools.has(tool.name)) tools.set(tool.name, tool)
        if (tools.size > TOOLS_MAX) throw this.#tooMany()
      }
      const next = isJsonObject(result) ? result.nextCursor : undefined
      if (typeof next !== 'string' || next === '') return [...tools.values()]
      cursor = next
    }
    throw this.#tooMany()
  }

  /** Aborting the caller's signal also cancels the call on the server. */
  async callTool({ name, inputSchema }: ListedTool, args: JsonObject, caller: McpCaller): Promise<CallResult> {
    const { signal } = caller
    const options = {
      ...{ signal, timeout: TIMER_MS_MAX, allowInputRequired: true },
      // Omit the output schema: validating it would run the server's patterns.
      toolDefinition: { name, inputSchema: inputSchema as { type: 'object' } },
    }
    const gone = (cause: unknown) => this.#error('mcp_tool_gone', `The server has no tool "${name}" any more.`, cause)
    try {
      const call = (params: object) => this.#client.callTool(params as { name: string }, options)
      const made = this.#callers.during(caller, () => this.#withInputs({ name, arguments: { ...args } }, call, caller))
      const result = await this.#settled(signal, made)
      // Some servers report an unknown tool as a failed call.
      if (result.isError && this.#hasChanged && !(await this.#hasTool(name, signal))) throw gone(undefined)
      return result
    } catch (error) {
      if (error instanceof McpError && error.code === 'mcp_refused' && !(await this.#hasTool(name, signal)))
        throw gone(error)
      throw error
    }
  }

  /** Repeats the call with the requested input. A server that asks for input has not executed the call. */
  async #withInputs(
    params: object,
    call: (params: object) => Promise<CallResult>,
    caller: McpCaller,
  ): Promise<CallResult> {
    let sent = params
    for (let round = 1; ; round += 1) {
      const result = await this.#openingLinks(() => call(sent), caller)
      const { resultType, inputRequests, requestState } = result as RoundResult
      if (resultType !== 'input_required') return result
      if (round > ROUNDS_MAX) throw this.#error('mcp_refused', `The server asks more than ${ROUNDS_MAX} times.`)
      const inputs = Object.entries(inputRequests ?? {}).map(async ([key, input]) => [
        key,
        await this.#input(input, caller),
      ])
      const inputResponses = Object.fromEntries(await Promise.all(inputs)) as object
      sent = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) }
    }
  }

  async #input({ method, params }: EmbeddedRequest, caller: McpCaller): Promise<unknown> {
    if (method !== 'elicitation/create')
      throw this.#error(
        'mcp_refused',
        `The server asks for what no client here gives (${String(method).slice(0, 40)}).`,
      )
    return this.#elicit(params, caller)
  }

  /** The call has already been answered, so a protocol error cannot be sent. Fail the call instead. */
  async #elicit(params: unknown, caller: McpCaller): Promise<ElicitationResult> {
    try {
      return await elicit(this.#server.name, params, caller)
    } catch (error) {
      if (!(error instanceof ElicitationProblem)) throw error
      throw this.#error('mcp_refused', `The server asks what cannot be shown. ${error.message}`, error)
    }
  }

  /** Servers may refuse a call until a person has opened links. */
  async #openingLinks(call: () => Promise<CallResult>, caller: McpCaller): Promise<CallResult> {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof this.#module.UrlElicitationRequiredError)) throw error
      const links: unknown = error.elicitations
      if (!Array.isArray(links) || links.length > ROUNDS_MAX) throw error
      for (const link of links) {
        const { action } = await this.#elicit({ ...link, mode: 'url' }, caller)
        if (action !== 'accept') throw error
      }
      return call()
    }
  }

  /** Problems are returned as protocol errors, which servers understand. */
  async #answer<T>(work: () => Promise<T>): Promise<T> {
    this.#hasAsked = true
    try {
      return await this.#track(work())
    } catch (error) {
      if (!(error instanceof ElicitationProblem)) throw error
      throw new this.#module.ProtocolError(this.#module.ProtocolErrorCode.InvalidParams, error.message)
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const tracked = work.finally(() => this.#unsent.delete(tracked))
    this.#unsent.add(tracked)
    tracked.catch(() => {})
    return tracked
  }

  /** True if the list cannot be read. */
  async #hasTool(name: string, signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.listTools((each) => each === name, signal)).length > 0
    } catch {
      return true
    }
  }

  async close(): Promise<void> {
    this.#fault ??= this.#error('mcp_connection_lost', 'The connection is closed.')
    await this.#sendAnswers()
    await this.#leave()
    await this.#client.close().catch(() => {})
    // The client does not close a transport that never connected.
    await this.#transport.close().catch(() => {})
  }

  /** A cancelled run cancels its question, and the server should learn of it. */
  async #sendAnswers(): Promise<void> {
    if (!this.#hasAsked) return
    const timer = AbortSignal.timeout(CLOSE_MS_MAX)
    do {
      // The client sends an answer one tick after receiving it.
      await new Promise((resolve) => setTimeout(resolve, 0))
      await orAbort(Promise.allSettled(this.#unsent), timer).catch(() => {})
    } while (this.#unsent.size > 0 && !timer.aborted)
  }

  /** Ends the server-side session, if there is one. */
  async #leave(): Promise<void> {
    const { terminateSession } = this.#transport
    if (terminateSession === undefined || this.#transport.sessionId === undefined) return
    const timer = AbortSignal.timeout(CLOSE_MS_MAX)
    await orAbort(terminateSession.call(this.#transport), timer).catch(() => {})
  }

  #end(fault: McpError): void {
    if (this.#fault !== null) return
    this.#fault = fault
    void this.#client.close().catch(() => {})
    void this.#transport.close().catch(() => {})
  }

  /** Rejects with an `McpError`, or with the abort reason of the signal. */
  async #settled<T>(signal: AbortSignal, request: Promise<T>): Promise<T> {
    try {
      return await request
    } catch (error) {
      signal.throwIfAborted()
      throw this.#reason(error)
    }
  }

  /** The client reports only that the connection closed. The fault has the reason. */
  #reason(error: unknown): McpError {
    const { SdkError, SdkErrorCode } = this.#module
    const isClosed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed
    return (isClosed ? this.#fault : null) ?? this.#asError(error)
  }

  #asError(error: unknown): McpError {
    if (error instanceof McpError) return error
    const { ProtocolError, SdkHttpError, SdkError, SdkErrorCode } = this.#module
    if (error instanceof ProtocolError)
      return this.#error('mcp_refused', `The server refused: ${shortErrorMessage(error)}`, error)
    if (error instanceof SdkHttpError) {
      if (error.status === 404 && this.#transport.sessionId !== undefined)
        return this.#error('mcp_session_lost', 'The server does not know the session any more.', error)
      return this.#error('mcp_unavailable', `The server answered with status ${error.status}.`, error)
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
      return this.#error('mcp_bad_message', 'The server sent a result that is not one of the protocol.', error)
    if (error instanceof SyntaxError) return this.#error('mcp_bad_message', 'The server sent no JSON.', error)
    return this.#error('mcp_unavailable', `The server does not answer: ${unreachable(error)}`, error)
  }

  #tooMany(): McpError {
    const message = `The server has more than ${TOOLS_MAX} tools. Name those that the agent needs in include.`
    return this.#error('mcp_too_many_tools', message)
  }

  #error(code: McpErrorCode, message: string, cause?: unknown): McpError {
    const text = message.startsWith(PREFIX) ? message : `${PREFIX}"${this.#server.name}": ${message}`
    return new McpError(code, this.#server.name, text, { cause })
  }
}

const PREFIX = 'MCP server '

/** A server request embedded in a call result, as in the 2026 protocol. */
interface EmbeddedRequest {
  readonly method?: unknown
  readonly params?: unknown
}

interface RoundResult extends Partial<CallResult> {
  readonly resultType?: unknown
  readonly inputRequests?: { readonly [key: string]: EmbeddedRequest }
  readonly requestState?: unknown
}

type TransportMaker = (onfault: (fault: McpError) => void) => Transport & { terminateSession?(): Promise<void> }

const transportMaker = async (
  module: McpClientModule,
  server: McpServer,
  run: McpRun | null,
): Promise<TransportMaker> => {
  if (!isProgram(server)) return (onfault) => httpTransport(module, server, run, onfault)
  if (isWorker()) {
    const message = 'A Worker cannot start programs. Give the url of a server.'
    throw new McpError('mcp_program_unsupported', server.name, message)
  }
  const { ProgramTransport } = await import('./program-transport.ts')
  return (onfault) => new ProgramTransport(module, server, onfault)
}

const anything = { '~standard': { version: 1, vendor: 'bridle', validate: (value: unknown) => ({ value }) } } as const

/** `fetch` reports only "fetch failed". The code of its cause names the reason without the server's address. */
const unreachable = (error: unknown): string => {
  const code = ((error as Error | null)?.cause as { code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? `${code}. Is it started, and is its url right?` : shortErrorMessage(error)
}
