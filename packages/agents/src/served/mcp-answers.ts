// The MCP server that offers tools written with Bridle to an engine. Its only state is the ids of open requests: the log has the
// calls. Each request has one message, and each answer is plain JSON.

import { isDeeperThan, isJsonObject, type Json, type JsonObject, objectOf } from '@bridle/events/json'
import { isId } from '@bridle/kernel/event'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { ReporterClosedError } from '@bridle/kernel/session/run-reporter'
import { modelTools } from '../loop/tools/offered-tools.ts'
import { CALL_INPUT_CHARS_MAX, CALL_INPUT_DEPTH_MAX } from '../model/limits.ts'
import { shortErrorMessage } from '../session/error-message.ts'
import { RunEndedError } from '../session/errors.ts'
import type { Tool } from '../tools/tool.ts'
import { CallRefusedError, DERIVED_ID, type ServedCalls } from './served-calls.ts'

/** The name of the server of tools in every engine: engines put it before the names of the tools. */
export const OWN_MCP_SERVER = 'bridle'

/** Characters of a request's id that become part of the id of its call. */
const REQUEST_ID_CHARS_MAX = 64
/** A message on its way has at most 16,000,000 bytes. The rest is for the frame of an event, which a late answer has. */
const ANSWER_BYTES_MAX = 16_000_000 - 100

export interface McpAnswer {
  readonly status: number
  /** Absent: the message was a notification. */
  readonly message?: JsonObject
  /** The id of a new MCP session: a client sends it with each later message. */
  readonly session?: string
}

/** The server of one attempt of a run. */
export class McpAnswers {
  readonly #calls: ServedCalls
  /** The call ids of open requests. */
  readonly #underWay = new Map<string, string>()

  constructor(calls: ServedCalls) {
    this.#calls = calls
  }

  /**
   * `session`: the client's id from `initialize`. It distinguishes the requests of an engine's several clients. Rejects if the log will
   * have the outcome of the call from another process, or never.
   */
  async answer(message: unknown, session: string | null): Promise<McpAnswer> {
    if (!isJsonObject(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string')
      return { status: 400, message: errorMessage(null, CODES.invalidRequest, 'This is not one message of JSON-RPC.') }
    const { id, method } = message
    const params = objectOf(message.params)
    if (typeof id !== 'string' && typeof id !== 'number') {
      if (method === 'notifications/cancelled') this.#cancel(params.requestId, session)
      return { status: 202 }
    }
    const result = (value: JsonObject): McpAnswer => ({ status: 200, message: { jsonrpc: '2.0', id, result: value } })
    switch (method) {
      case 'initialize':
        return { ...result(introduction(params)), session: crypto.randomUUID() }
      case 'ping':
        return result({})
      case 'tools/list':
        return result({ tools: this.#calls.tools.map(listedTool) })
      case 'tools/call':
        return this.#call(id, params, session)
      default:
        return { status: 200, message: errorMessage(id, CODES.unknownMethod, `There is no method "${method}" here.`) }
    }
  }

  async #call(requestId: string | number, params: JsonObject, session: string | null): Promise<McpAnswer> {
    const answer = (message: object): McpAnswer => ({
      status: 200,
      message: { jsonrpc: '2.0', id: requestId, ...message },
    })
    const { name, arguments: args = {} } = params
    const request = requestName(requestId, session)
    const id = engineCallId(params) ?? (request && `${DERIVED_ID}${request}`)
    if (typeof name !== 'string' || name === '' || !isJsonObject(args) || request === null || id === null)
      return { status: 200, message: errorMessage(requestId, CODES.invalidParams, 'A call has a name and arguments.') }
    if (JSON.stringify(args).length > CALL_INPUT_CHARS_MAX || isDeeperThan(args, CALL_INPUT_DEPTH_MAX))
      return answer({ result: failedResult(TOO_LARGE) })
    this.#underWay.set(request, id)
    try {
      const { output } = await this.#calls.call({ id, tool: name, arguments: args })
      const isError = output.type === 'error-text'
      const value = 'value' in output ? (output.value as Json) : ''
      const made = answer({ result: { content: textContent(value), ...(isError && { isError }) } })
      return isTooLarge(made.message) ? answer({ result: failedResult(RESULT_TOO_LARGE) }) : made
    } catch (error) {
      if (error instanceof CallRefusedError) return answer({ result: failedResult(error.message) })
      // Any answer would be final for the engine. Without one, the relay sends the request again, to the next process.
      if (error instanceof RunEndedError || error instanceof ReporterClosedError || error instanceof StoreFault)
        throw error
      return answer({ result: failedResult(shortErrorMessage(error)) })
    } finally {
      this.#underWay.delete(request)
    }
  }

  #cancel(requestId: unknown, session: string | null): void {
    const name = requestName(requestId, session)
    const id = name === null ? undefined : this.#underWay.get(name)
    if (id !== undefined) this.#calls.cancel(id)
  }
}

/** Error codes of JSON-RPC 2.0. */
const CODES = { invalidRequest: -32_600, unknownMethod: -32_601, invalidParams: -32_602 }

const TOO_LARGE = `The arguments have more than ${CALL_INPUT_CHARS_MAX} characters, or more than ${CALL_INPUT_DEPTH_MAX} levels.`

const RESULT_TOO_LARGE = `The tool has run, but its result is not shown: the message would have more than ${ANSWER_BYTES_MAX} bytes.`

/** Escapes and characters of several bytes can make a result that is short enough for the log too large to send. */
const isTooLarge = (message: JsonObject | undefined): boolean =>
  new TextEncoder().encode(JSON.stringify(message)).byteLength > ANSWER_BYTES_MAX

/** Clients of all versions understand the few methods here, so that each gets the version that it asks for. */
const introduction = ({ protocolVersion }: JsonObject): JsonObject => ({
  protocolVersion:
    typeof protocolVersion === 'string' && /^\d{4}-\d\d-\d\d$/.test(protocolVersion) ? protocolVersion : '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: OWN_MCP_SERVER, title: 'Tools of the operator', version: '1' },
})

const listedTool = (tool: Tool): JsonObject => {
  const [made] = modelTools([tool])
  return {
    ...{ name: tool.name, description: tool.description, inputSchema: (made?.inputSchema ?? {}) as JsonObject },
    annotations: {
      readOnlyHint: tool.effect === 'pure',
      ...(tool.effect !== 'pure' && { idempotentHint: tool.effect === 'idempotent' }),
    },
    // Claude Code would offer it only to a model that searches for it.
    _meta: { 'anthropic/alwaysLoad': true },
  }
}

/** The engine's own id of the call, as Claude Code and Codex send it. Its frames about the call have the same. */
const engineCallId = ({ _meta }: JsonObject): string | null => {
  const meta = objectOf(_meta)
  const id = meta['claudecode/toolUseId'] ?? meta.callId
  return isId(id) ? id : null
}

/** Null: the id cannot be part of an id of ours. A text and a number are different ids. */
const requestName = (requestId: unknown, session: string | null): string | null => {
  const text = typeof requestId === 'number' ? `n${requestId}` : typeof requestId === 'string' ? `s${requestId}` : ''
  const name = `${session ?? 'none'}.${text}`
  return text.length > 1 && text.length <= REQUEST_ID_CHARS_MAX && isId(`${DERIVED_ID}${name}`) ? name : null
}

const textContent = (value: Json): JsonObject[] => [
  { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) },
]

const failedResult = (error: string): JsonObject => ({ content: textContent(error), isError: true })

const errorMessage = (id: string | number | null, code: number, message: string): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})
