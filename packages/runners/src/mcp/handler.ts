// Handlers of MCP requests: each one forwards to an operator's server at a URL, or answers the request.
import type { IncomingHttpHeaders } from 'node:http'
import type { Job } from '@bridle/kernel/ports/runner'
import type { McpMessage } from './messages.ts'
import type { SseEvent } from './sse-events.ts'

export type McpRunName = Pick<Job, 'key' | 'runId' | 'attempt'>

/** A request of an engine to one of its servers, in streamable HTTP. */
export interface McpRequest {
  readonly run: McpRunName
  /** GET opens the stream of messages that the server initiates, DELETE ends the MCP session. */
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: IncomingHttpHeaders
  /** The body of a POST: a request, a notification, or an answer to a request of the server. */
  readonly message: McpMessage | null
  /** The request was sent before, and its answer did not arrive. It may have happened. */
  readonly isRepeated: boolean
  /** Aborted when the engine disconnects or the run ends. */
  readonly signal: AbortSignal
}

/** A single message, or a stream of events that may stay open for days. */
export type McpReply = McpReplyHead & ({ readonly message?: McpMessage } | { readonly events: AsyncIterable<SseEvent> })

interface McpReplyHead {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
}

/** Answers the requests of one run. It may take days: the connection is kept alive. */
export type McpHandler = (call: McpRequest) => Promise<McpReply>

export interface McpHandlers {
  readonly [server: string]: McpHandler
}
