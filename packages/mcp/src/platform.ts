import { McpError } from './errors.ts'

export type McpClientModule = typeof import('@modelcontextprotocol/client')

/** Lazy: declaring an agent must not require the package. */
export const loadClient = async (server: string): Promise<McpClientModule> => {
  try {
    return await import('@modelcontextprotocol/client')
  } catch (cause) {
    const message = 'The MCP client is not installed. Run: npm install @modelcontextprotocol/client'
    throw new McpError('mcp_client_missing', server, message, { cause })
  }
}

/** Workers cannot start programs or share connections between objects. */
export const isWorker = (): boolean => globalThis.navigator?.userAgent === 'Cloudflare-Workers'
