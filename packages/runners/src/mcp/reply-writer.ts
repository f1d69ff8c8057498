// Writes a reply that may take days. Engines and proxies close silent connections after minutes, so a late reply becomes an event stream
// with regular comments.
import type { ServerResponse } from 'node:http'
import type { McpReply } from './handler.ts'
import { type McpId, mcpError } from './messages.ts'
import { encodeSseEvent, SSE_COMMENT } from './sse-events.ts'

/** Well below one minute, after which engines and proxies close a silent connection. */
export const MCP_COMMENT_MS = 15_000

export interface ReplyTerms {
  /** The id of the answered request; null = no answer is expected. */
  readonly id: McpId | null
  /** The reply's headers matter, such as the session id of `initialize`, so comments wait for them. */
  readonly holdsHead: boolean
  readonly commentMs?: number
}

export const writeMcpReply = async (
  outgoing: ServerResponse,
  reply: Promise<McpReply>,
  { id, holdsHead, commentMs = MCP_COMMENT_MS }: ReplyTerms,
): Promise<void> => {
  const openStream = (headers: McpReply['headers'] = {}) => {
    outgoing.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    outgoing.flushHeaders()
  }
  // A handler may not notice that the engine disconnected.
  const closed = new Promise<null>((resolve) => outgoing.once('close', () => resolve(null)))
  let mayStream = !holdsHead && id !== null
  const comments = setInterval(() => {
    if (outgoing.destroyed || (!outgoing.headersSent && !mayStream)) return
    if (!outgoing.headersSent) openStream()
    outgoing.write(SSE_COMMENT)
  }, commentMs)
  try {
    const answer = await Promise.race([reply, closed])
    if (answer === null || outgoing.destroyed) return
    if ('events' in answer) {
      if (!outgoing.headersSent) openStream(answer.headers)
      for await (const event of answer.events) {
        if (outgoing.destroyed) return
        if (!outgoing.write(encodeSseEvent(event))) await roomIn(outgoing)
      }
      return void outgoing.end()
    }
    mayStream = false
    const { status, headers = {}, message } = answer
    if (!outgoing.headersSent) {
      outgoing.writeHead(status, { ...headers, ...(message && { 'content-type': 'application/json' }) })
      return void outgoing.end(message && JSON.stringify(message))
    }
    // The status has been sent, so a refusal must be a message.
    const said = message ?? (status >= 400 ? mcpError(id, `The server answered with status ${status}.`) : null)
    outgoing.end(said === null ? undefined : encodeSseEvent({ data: JSON.stringify(said) }))
  } catch {
    // A partial answer must not look complete.
    outgoing.destroy()
  } finally {
    clearInterval(comments)
  }
}

const roomIn = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done)
      resolve()
    }
    outgoing.once('drain', done).once('close', done)
    if (outgoing.destroyed) done()
  })
