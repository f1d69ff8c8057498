// The platform, and the client of the protocol, which the user of this entry installs.
import { McpError } from './errors.ts'

export type McpClientModule = typeof import('@modelcontextprotocol/client')

/** Loaded with the first connection: an agent that is only declared needs nothing installed. */
export const loadClient = async (server: string): Promise<McpClientModule> => {
  try {
    return await import('@modelcontextprotocol/client')
  } catch (cause) {
    const message = 'The MCP client is not installed. Run: npm install @modelcontextprotocol/client'
    throw new McpError('mcp_client_missing', server, message, { cause })
  }
}

/** A Worker starts no programs, and a connection of one object is not for another. */
export const isWorker = (): boolean => globalThis.navigator?.userAgent === 'Cloudflare-Workers'
