// Provider keys stay on the host. A run gets a token and a base URL of this proxy. The proxy checks each request, replaces the
// token with the key, and counts the usage of the answer as it streams through. A run that has ended or spent its limit gets
// a refusal in the format of the provider, so that its engine can display it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { PriceTable } from '@bridle/model-data/prices'
import type { McpHandlers, McpRunName } from '../mcp/handler.ts'
import { listenerUrl } from '../process/listener.ts'
import {
  type ActiveGrant,
  CredentialGrants,
  type GrantName,
  type GrantTerms,
  type RunSpend,
  spendOf,
} from './grants.ts'
import type { Login } from './logins/login.ts'
import { McpGrants } from './mcp-grants.ts'
import { answerMcpRequest, mcpServerAt } from './mcp-route.ts'
import { type Provider, type ProxyRefusalCode, REFUSAL_STATUSES } from './providers/provider.ts'
import { encodeProxyRefusal, PROVIDER_NAMES, type ProviderName, providers } from './providers.ts'
import { admitRequest, incomingCall, pathNotAllowed } from './request-admission.ts'
import { findProviderRoute, type ProxyRefusal, requestAddress } from './request-rules.ts'
import { isProxyRefusal, type SpendSums } from './spending/spend-ledger.ts'
import { exchangeWithProvider, type UpstreamCredential, type UpstreamRequest } from './upstream.ts'

/** A provider computes a long answer that does not stream for minutes before it sends the first byte. */
const PROVIDER_SILENCE_MS = 600_000

export interface CredentialProxyOptions {
  /** Tokens are derived from it: the same secret makes the same tokens in the next process. */
  readonly secret: string
  /** Called for each request, so that an operator can change a key while the server runs. */
  readonly keys: { readonly [P in ProviderName]?: () => string | undefined }
  /** A personal login, asked for where there is no key; `missing` says what to do where there is none. */
  readonly logins?: { readonly [P in ProviderName]?: () => ProxyLogin }
  /** Absent = the base URL variables of `env`, else the vendors' addresses. */
  readonly upstreams?: { readonly [P in ProviderName]?: string }
  readonly env?: NodeJS.ProcessEnv
  readonly host?: string
  readonly port?: number
  /** The address of this proxy as sandboxes reach it, where that is not the address it listens on. */
  readonly publicUrl?: string
  /** Rows that come before Bridle's own. */
  readonly prices?: PriceTable
  readonly bodyBytesMax?: number
  /** A provider that sends nothing for this long has failed. */
  readonly silenceMs?: number
  /** The interval of comments on a connection that waits for an MCP server. */
  readonly mcpCommentMs?: number
  /** Called for each request. The entry holds no key, no token and no text of the conversation. */
  readonly report?: (entry: ProxyLogEntry) => void
  /** Called with the sums of a run before a request is sent and after it is settled, so that they survive the process. */
  readonly saveSpend?: (name: GrantName, sums: SpendSums) => void
}

/** A personal login with the words for the moment when the vendor refuses it. */
export type ProxyLogin = (Login & { readonly renewal: string }) | { readonly missing: string }

export interface ProxyLogEntry extends GrantName {
  readonly path: string
  readonly model: string | null
  readonly status: number
  readonly refused: ProxyRefusalCode | null
  readonly usd: number
}

/** A proxy between sandboxes and model providers: each run gets a token, and the keys stay here. */
export interface CredentialProxy {
  /** The address of the proxy. */
  readonly url: string
  /** Makes a token and a base address for one run. */
  grant(grant: GrantName & GrantTerms): { readonly token: string; readonly baseUrl: string }
  /** Ends the token and its open requests. Returns the cost of the run; null = the run had no grant. */
  revoke(name: GrantName): RunSpend | null
  /** Returns the cost of a run so far; null = the run has no grant. */
  spend(name: GrantName): RunSpend | null
  /** Makes a token and a base address with which one run reaches its MCP servers. A repeated grant keeps the handlers. */
  grantMcp(name: McpRunName, servers: () => McpHandlers): { readonly token: string; readonly url: string }
  /** Ends the token and its open requests. */
  revokeMcp(name: McpRunName): void
  /** Aborts open requests. */
  close(): Promise<void>
}

/** Starts a proxy that holds the keys of model providers, so that no sandbox has one. */
export const startCredentialProxy = async (options: CredentialProxyOptions): Promise<CredentialProxy> => {
  const { secret, prices, env = process.env, bodyBytesMax, silenceMs = PROVIDER_SILENCE_MS } = options
  const grants = new CredentialGrants(secret, prices, options.saveSpend)
  const mcpGrants = new McpGrants(secret)
  const upstreams = Object.fromEntries(PROVIDER_NAMES.map((name) => [name, upstreamUrl(name, options, env)])) as {
    readonly [P in ProviderName]: string
  }

  const underWay = new Set<Promise<void>>()

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const mcpServer = mcpServerAt(request)
    if (mcpServer !== null) return answerMcpRequest(mcpGrants, mcpServer, request, response, options.mcpCommentMs)
    const found = parseTarget(request)
    if (!found) return refuse(response, null, 'path_not_allowed', 'There is nothing at this path.')
    const { name, provider, route, path, query } = found
    if (route?.kind === 'probe') return void response.writeHead(200).end()
    const grant = findGrant(request, grants, name)
    if (!grant) return refuse(response, provider, 'token_invalid', 'This token is not, or no longer, valid.')

    const entry = { ...nameOf(grant), path, model: null as string | null, usd: 0 }
    const report = (status: number, refused: ProxyRefusalCode | null) => options.report?.({ ...entry, status, refused })
    const no = ([code, message]: ProxyRefusal) => {
      report(REFUSAL_STATUSES[code], code)
      refuse(response, provider, code, message)
    }
    if (!route) return no(pathNotAllowed(request.method, found))
    const leave = new AbortController()
    grant.openRequests.add(leave)
    response.once('close', () => response.writableFinished || leave.abort())
    let end = () => {}
    try {
      const { models, ledger } = grant
      const terms = { models, ledger, prices, bodyBytesMax }
      const admitted = await admitRequest(incomingCall(request, leave.signal), route, terms, (model) => {
        entry.model = model
      })
      if (isProxyRefusal(admitted)) return no(admitted)
      end = admitted.end
      const credential = credentialOf(name, options, upstreams[name])
      if ('missing' in credential) return no(['key_missing', credential.missing])
      const passage: UpstreamRequest = {
        provider: name,
        url: `${credential.base}${path}${query}`,
        credential,
        body: admitted.body,
        isMetered: route.kind === 'answer',
        silenceMs,
        signal: leave.signal,
        charge: (usage) => {
          entry.usd = grants.charge(grant, entry.model ?? '', usage)
          admitted.settle(entry.usd)
        },
      }
      const { status, refused } = await exchangeWithProvider(passage, request, response)
      if (refused) return no(refused)
      report(status, null)
    } finally {
      end()
      grant.openRequests.delete(leave)
    }
  }

  const server = createServer({ headersTimeout: 10_000, requestTimeout: 300_000 }, (request, response) => {
    const answered = answer(request, response)
      .catch(() => void response.destroy())
      .finally(() => underWay.delete(answered))
    underWay.add(answered)
  })
  const { host = '127.0.0.1', port = 0 } = options
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  const url = listenerUrl(server)
  const publicUrl = (options.publicUrl ?? url).replace(/\/+$/, '')

  return {
    url,
    grant: ({ models, maxSpendUsd, spentUsd, ...name }) => ({
      token: grants.grant(name, { models, maxSpendUsd, spentUsd }),
      baseUrl: `${publicUrl}${providers[name.provider].mount}`,
    }),
    revoke: (name) => grants.revoke(name),
    spend: (name) => {
      const grant = grants.find(name)
      return grant && spendOf(grant)
    },
    grantMcp: (name, servers) => ({ token: mcpGrants.grant(name, servers), url: publicUrl }),
    revokeMcp: (name) => mcpGrants.revoke(name),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      // Requests that were cut still report their cost.
      await Promise.all([closed, ...underWay])
    },
  }
}

interface ProxyCredential extends UpstreamCredential {
  readonly base: string
}

/** The key, else the login; `missing` says what to do where there is neither. */
const credentialOf = (
  name: ProviderName,
  { keys, logins }: CredentialProxyOptions,
  base: string,
): ProxyCredential | { readonly missing: string } => {
  const { authorise, title, keyName } = providers[name]
  const key = keys[name]?.()
  if (key)
    return {
      ...{ base, secret: key, headers: () => authorise(key) },
      refusal: `${title} refused the key of this server. Check its ${keyName}.`,
    }
  const login = logins?.[name]?.() ?? { missing: '' }
  if ('missing' in login)
    return { missing: login.missing || `This server has no ${keyName}. Set it and start the server again.` }
  const refusal = `${title} refused the login of this server’s user. ${login.renewal}`
  return { base: login.url ?? base, secret: login.secret, headers: login.headers, refusal }
}

const upstreamUrl = (name: ProviderName, { upstreams }: CredentialProxyOptions, env: NodeJS.ProcessEnv): string => {
  const { urlName, vendorUrl } = providers[name]
  const given = upstreams?.[name] || env[urlName] || vendorUrl
  const { protocol, username, password, search, hash } = new URL(given)
  if (!/^https?:$/.test(protocol) || username || password || search || hash) {
    throw new Error(`${urlName} is to be a plain http or https URL.`)
  }
  return given.replace(/\/+$/, '')
}

const parseTarget = ({ method = '', url }: IncomingMessage) => {
  const address = requestAddress(url)
  const located = address && findProviderRoute(method, address.pathname)
  return located && { ...located, query: address.search }
}

/** A token is valid for one provider. */
const findGrant = (
  { headers }: IncomingMessage,
  grants: CredentialGrants,
  provider: ProviderName,
): ActiveGrant | null => {
  const { authorization = '', 'x-api-key': apiKey } = headers
  const token = typeof apiKey === 'string' ? apiKey : (/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '')
  const grant = grants.grantForToken(token)
  return grant?.provider === provider ? grant : null
}

const nameOf = ({ key, runId, attempt, provider }: ActiveGrant): GrantName => ({ key, runId, attempt, provider })

const refuse = (response: ServerResponse, provider: Provider | null, code: ProxyRefusalCode, message: string): void => {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const body = JSON.stringify(encodeProxyRefusal(provider, code, message))
  response.writeHead(REFUSAL_STATUSES[code], { 'content-type': 'application/json' }).end(body)
}
