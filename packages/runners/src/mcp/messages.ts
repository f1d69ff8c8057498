// The messages of MCP, as far as they are read on their way: JSON-RPC with one message in each body.
import { isDeeperThan, isJsonObject, type JsonObject } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'

/** Levels of a message: a schema in a list of tools is deeper than the result of a call, and neither has as many. */
const MESSAGE_DEPTH_MAX = 200

/** The header with the id of an MCP session. */
export const SESSION_HEADER = 'mcp-session-id'

export type McpId = string | number

export interface McpMessage extends JsonObject {
  readonly jsonrpc: '2.0'
}

/** Null: not one message of JSON-RPC. Batches, which one version of the protocol had, are not taken. */
export const parseMcpMessage = (text: string): McpMessage | null => {
  const message = tryOr(null, () => JSON.parse(text) as unknown)
  if (!isJsonObject(message) || message.jsonrpc !== '2.0' || isDeeperThan(message, MESSAGE_DEPTH_MAX)) return null
  return message as McpMessage
}

/** The id of a request; null = the message is a notification or an answer. */
export const requestId = ({ id, method }: JsonObject): McpId | null =>
  typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null

export const isAnswerTo = (message: JsonObject, id: McpId): boolean =>
  message.id === id && message.method === undefined && ('result' in message || 'error' in message)

/** Codes of JSON-RPC for errors of a server. */
export const MCP_ERRORS = {
  /** The request failed, or it is unknown whether it happened. */
  failed: -32_000,
  limit: -32_029,
  invalid: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
} as const

export const mcpError = (id: McpId | null, message: string, code: number = MCP_ERRORS.failed): McpMessage =>
  ({ jsonrpc: '2.0', id, error: { code, message } }) as McpMessage
