// A grant lets one attempt of one run reach its MCP servers until it is revoked. As for keys, the token is derived from the server's
// secret, so it stays valid after a restart.
import { createHash, createHmac } from 'node:crypto'
import { keyText } from '@bridle/kernel/event'
import type { McpHandlers, McpRunName } from '../mcp/handler.ts'
import { sameSecret } from './same-secret.ts'
import { SpendLedger } from './spending/spend-ledger.ts'

export interface ActiveMcpGrant extends McpRunName {
  readonly servers: McpHandlers
  /** Bounds the number and the bytes of open requests. */
  readonly slots: Pick<SpendLedger, 'openSlot'>
  /** Revoking the grant aborts them. */
  readonly openRequests: Set<AbortController>
}

export class McpGrants {
  readonly #grants = new Map<string, ActiveMcpGrant>()
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** A repeated grant keeps the handlers, and with them their request counts. */
  grant(name: McpRunName, servers: () => McpHandlers): string {
    const token = this.#token(name)
    const { key, runId, attempt } = name
    if (!this.#grants.has(digest(token))) {
      const slots = new SpendLedger({ maxUsd: null })
      this.#grants.set(digest(token), { key, runId, attempt, servers: servers(), slots, openRequests: new Set() })
    }
    return token
  }

  grantForToken(token: string): ActiveMcpGrant | null {
    return this.#grants.get(digest(token)) ?? null
  }

  revoke(name: McpRunName): void {
    const token = this.#token(name)
    const live = this.grantForToken(token)
    this.#grants.delete(digest(token))
    for (const request of live?.openRequests ?? []) request.abort()
  }

  /** Signs the id of an MCP session for its run. No other run can use it, and it stays valid after a restart. */
  sealSession(run: McpRunName, server: string, id: string): string {
    return `${id}.${this.#sign('session', run, server, id)}`
  }

  /** Null: the id belongs to another run or another server. */
  openSession(run: McpRunName, server: string, sealed: string): string | null {
    const at = sealed.lastIndexOf('.')
    const id = sealed.slice(0, Math.max(0, at))
    return at > 0 && sameSecret(sealed.slice(at + 1), this.#sign('session', run, server, id)) ? id : null
  }

  #token(name: McpRunName): string {
    return `bridle-mcp-${this.#sign('run', name)}`
  }

  #sign(use: string, { key, runId, attempt }: McpRunName, ...more: readonly string[]): string {
    const named = JSON.stringify([keyText(key), runId, attempt, ...more])
    return createHmac('sha256', this.#secret).update(`mcp-${use}:${named}`).digest('base64url')
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64')
