// Agents run commands by design, so an open route is remote code execution. Without a token, only local programs and pages are
// admitted, and never pages of other origins, not even by DNS rebinding.
import { isId } from '@bridle/kernel/event'
import { findUnknownName } from '@bridle/kernel/text/nearest-name'
import { badRequest, Denial, isDenial } from '../denials/denial.ts'
import { isForwarded } from './proxy-headers.ts'
import { digest, hex, sameBytes } from './secrets.ts'
import type { TicketStore } from './tickets.ts'
import type { TokenBackoff } from './token-backoff.ts'

/** Enough for an app to query its database. A waiting socket counts as open. */
export const AUTHENTICATE_MS = 10_000

export const SCOPES = ['observe', 'operate', 'approve'] as const
/** `observe` reads and watches; `operate` runs, cancels and removes; `approve` answers approvals. */
export type Scope = (typeof SCOPES)[number]

export interface Access {
  readonly tenant: string
  readonly scopes: readonly Scope[]
  /** Set if a ticket opens only one session. */
  readonly sessionId: string | null
  /** Set if the credential belongs to a user. */
  readonly user: string | null
  /** The credential is limited to some tenants or one user, so it must not read server-wide data. */
  readonly isBound?: boolean
  /** Identity for rate limits: the digest of a token, otherwise an address. */
  readonly who: string
  readonly isTicket?: boolean
  /** Tenants that the credential may choose from. Absent: any. */
  readonly tenants?: readonly string[]
  /** True if no credential is required. */
  readonly isOpen?: boolean
}

export interface AccessOptions {
  /** Allows any tenant. Without it, no token is required, but only this machine is admitted. */
  readonly authToken?: string
  /** Name of an environment variable that holds the token. */
  readonly authTokenEnv?: string
  /** More tokens, each with its own tenants and scopes. */
  readonly tokens?: readonly TokenGrant[]
  /** True admits, false is a 401, undefined leaves it to the token. */
  readonly extractAuthToken?: (request: Request) => boolean | undefined | Promise<boolean | undefined>
  /** The app's own login; null is a 401. Called for each request and socket that has none of the server's tokens. */
  readonly authenticate?: (request: Request) => SignedInUser | null | Promise<SignedInUser | null>
  readonly tenantRequired?: boolean
  readonly allowedOrigins?: readonly string[]
  /** Wrong tokens per address before it must wait. Default: 30 a minute. */
  readonly authBackOff?: TokenBackoff
}

/** A caller authenticated by the app. */
export interface SignedInUser {
  /** The user, who cannot open sessions of other users. Null: may open every session of the tenant. */
  readonly user: string | null
  /** Tenant of the user. Default: `default`. */
  readonly tenant?: string
  /** Default: all three. */
  readonly scopes?: readonly Scope[]
}

export interface TokenGrant {
  readonly token: string
  /** Tenants that the token may choose from. The first is its default. */
  readonly tenants?: readonly string[]
  readonly scopes?: readonly Scope[]
  /** The token's user, who cannot open sessions of other users. */
  readonly user?: string
}

/** The parts of a request that access depends on, so that targets need no whole `Request` for an upgrade. */
export interface IncomingRequest {
  readonly url: string
  /** Absent for upgrades, which are GETs. */
  readonly method?: string
  readonly headers: Pick<Headers, 'get'> & { readonly keys: () => Iterable<string> }
  /** From a trusted proxy. Otherwise the Host header is used. */
  readonly host?: string
  readonly scheme?: string
  /** Such as `1.1`. Absent if the platform terminates HTTP. */
  readonly httpVersion?: string
  /** For hooks. Absent if this already is a `Request`. */
  readonly toRequest?: () => Request
}

export interface Authenticator {
  authenticate(request: IncomingRequest, address: string): Promise<Access | Denial>
  /** Proxied requests that a server without a token has refused. */
  refusedForwarded?(): number
}

export const createAuthenticator = (options: AccessOptions, tickets: TicketStore): Authenticator => {
  const grants = [...(options.authToken === undefined ? [] : [{ token: options.authToken }]), ...(options.tokens ?? [])]
  let digested: readonly { readonly grant: TokenGrant; readonly digest: ArrayBuffer }[] | null = null
  /** Caches values rather than a promise: on Workers, a request must not await another request's promise. */
  const digestedGrants = async () => {
    digested ??= await Promise.all(grants.map(async (grant) => ({ grant, digest: await digest(grant.token) })))
    return digested
  }
  const { authenticate } = options
  let refusedForwarded = 0
  const isOpen = grants.length === 0 && !options.extractAuthToken && !authenticate

  const findGrant = async (
    request: IncomingRequest,
  ): Promise<(Omit<TokenGrant, 'token'> & { who?: string }) | null> => {
    const verdict = await options.extractAuthToken?.(request.toRequest?.() ?? (request as Request))
    if (verdict !== undefined) return verdict ? {} : null
    if (isOpen) return {}
    const granted = await tokenGrant(request)
    if (granted || !authenticate) return granted
    return userGrant(await inTime(authenticate(request.toRequest?.() ?? (request as Request))))
  }

  const tokenGrant = async (request: IncomingRequest): Promise<(TokenGrant & { who: string }) | null> => {
    const token = tokenOf(request)
    if (!token) return null
    const actual = await digest(token)
    let match: (TokenGrant & { who: string }) | null = null
    // Compare every token, so that timing does not reveal which one matched.
    for (const { grant, digest: expected } of await digestedGrants()) {
      if (sameBytes(actual, expected)) match = { ...grant, who: hex(actual) }
    }
    return match
  }

  return {
    refusedForwarded: () => refusedForwarded,
    async authenticate(request, address) {
      const url = new URL(request.url)
      const denial = checkSource(request, {
        isOpen,
        isAmbient: authenticate !== undefined,
        allowed: options.allowedOrigins ?? [],
      })
      if (denial) {
        if (isOpen && isForwarded(request)) refusedForwarded += 1
        return denial
      }
      const ticket = url.searchParams.get('ticket') ?? ticketSubprotocol(request)
      if (ticket)
        return (
          (await tickets.redeem(ticket, request.headers.get('origin'))) ??
          new Denial('unauthorized', 'The ticket is used up, expired or unknown.')
        )
      const grant = await findGrant(request)
      if (!grant)
        return authenticate
          ? new Denial('unauthorized', 'Nobody is signed in.')
          : new Denial('unauthorized', 'A valid bearer token is required.', { 'www-authenticate': 'Bearer' })
      const named = request.headers.get('x-fabric-tenant') ?? url.searchParams.get('tenant')
      const tenant = chooseTenant(named, grant, options.tenantRequired ?? false)
      if (isDenial(tenant)) return tenant
      return {
        tenant,
        scopes: grant.scopes ?? SCOPES,
        sessionId: null,
        user: grant.user ?? null,
        ...((grant.tenants || grant.user !== undefined) && { isBound: true }),
        who: grant.who ?? address,
        ...(grant.tenants && { tenants: grant.tenants }),
        ...(isOpen && { isOpen }),
      }
    },
  }
}

const chooseTenant = (
  named: string | null,
  { tenants }: Omit<TokenGrant, 'token'>,
  required: boolean,
): string | Denial => {
  if (named === null)
    return tenants?.[0] ?? (required ? badRequest('A tenant is required: X-Fabric-Tenant or ?tenant=.') : 'default')
  if (!isId(named)) return badRequest('The tenant is not a valid id.')
  return tenants && !tenants.includes(named) ? new Denial('forbidden', 'This token is not for that tenant.') : named
}

interface SourceRules {
  readonly isOpen: boolean
  /** Browsers send the credential automatically, such as a cookie, so other sites could act as the user (CSRF). */
  readonly isAmbient: boolean
  readonly allowed: readonly string[]
}

const checkSource = (request: IncomingRequest, { isOpen, isAmbient, allowed }: SourceRules): Denial | null => {
  const origin = request.headers.get('origin')
  if (origin !== null && !isTrustedOrigin(origin, request, { isAmbient, allowed })) {
    return new Denial('forbidden', 'This origin is not allowed.')
  }
  if ((isOpen || isAmbient) && origin === null && isEmbedded(request))
    return new Denial('forbidden', 'This page is of another site.')
  // DNS rebinding: the attacker's name resolves to this machine, but still shows in the Host header.
  const hosts = [request.headers.get('host'), request.host ?? null]
  if (isOpen && hosts.some((host) => host !== null && !isLoopback(hostOf(`http://${host}`)))) {
    return new Denial('forbidden', 'Without a token only this machine may ask.')
  }
  if (isOpen && isForwarded(request)) return new Denial('forbidden', THROUGH_A_PROXY)
  return null
}

/** True for images, scripts and frames on another site's page. They send no Origin, unlike its requests. */
const isEmbedded = ({ headers, method = 'GET' }: IncomingRequest): boolean => {
  const site = headers.get('sec-fetch-site')
  const isNavigation = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  // Links use GET. A POST navigation is another site's form.
  const isLink = isNavigation && method === 'GET'
  return (site === 'cross-site' || site === 'same-site') && !isLink
}

/** With an ambient credential, a local page is only trusted if the server is local too. */
const isTrustedOrigin = (
  origin: string,
  request: IncomingRequest,
  { isAmbient, allowed }: Omit<SourceRules, 'isOpen'>,
): boolean => {
  if (allowed.includes(origin) || isOwnOrigin(origin, request)) return true
  return isLoopback(hostOf(origin)) && (!isAmbient || isLoopback(hostOf(`http://${hostHeader(request) ?? ''}`)))
}

/** A login that hangs would hold its caller's socket slot forever, and eventually lock everyone out. */
const inTime = async <T>(answer: T | Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const give = () => late.reject(new Error(`authenticate did not answer within ${AUTHENTICATE_MS} ms.`))
  const timer = setTimeout(give, AUTHENTICATE_MS)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Validates the app's answer: a bug in the app must not admit one user as another. */
const userGrant = (signedIn: SignedInUser | null | undefined): (Omit<TokenGrant, 'token'> & { who: string }) | null => {
  if (signedIn === null || signedIn === undefined) return null
  const { user, tenant = 'default', scopes = SCOPES } = signedIn
  if (user !== null && (typeof user !== 'string' || user === ''))
    throw new TypeError(
      'authenticate must return the user as a text, or user: null for a caller who may open all sessions.',
    )
  const misspelt = findUnknownName(signedIn, ['user', 'tenant', 'scopes'])
  if (misspelt)
    throw new TypeError(
      `authenticate returned "${misspelt.name}", which is none of user, tenant, scopes.${misspelt.near === null ? '' : ` Did you mean "${misspelt.near}"?`}`,
    )
  if (!isId(tenant)) throw new TypeError('authenticate returned a tenant that is not an id.')
  const unknown = scopes.find((scope) => !SCOPES.includes(scope))
  if (unknown !== undefined) throw new TypeError(`authenticate returned the scope "${unknown}", which is none.`)
  return { tenants: [tenant], scopes, ...(user !== null && { user }), who: `user:${JSON.stringify([tenant, user])}` }
}

export const isAllowedOrigin = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes(origin) || isLoopback(hostOf(origin))

/** True for pages of this server, under any name that reaches it. */
const isOwnOrigin = (origin: string, request: IncomingRequest): boolean => {
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  return host === hostHeader(request) && (request.scheme === undefined || protocol === `${request.scheme}:`)
}

const hostHeader = (request: IncomingRequest): string | null => request.host ?? request.headers.get('host')

const THROUGH_A_PROXY =
  'Without a token only this machine may ask, and this request came through a proxy (it has X-Forwarded-For, Via or the like, or is HTTP/1.0). Set FABRIC_HARNESS_API_TOKEN, or start with --token.'

export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(host)

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

export const tokenOf = (request: Pick<IncomingRequest, 'url' | 'headers'>): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ??
  (new URL(request.url).searchParams.get('token') || null)

/** Browsers can send a ticket as a subprotocol, which proxies do not log, unlike URLs. */
const ticketSubprotocol = (request: IncomingRequest): string | null =>
  /(?:^|,)\s*ticket\.([A-Za-z0-9_-]+)\s*(?:,|$)/.exec(request.headers.get('sec-websocket-protocol') ?? '')?.[1] ?? null
