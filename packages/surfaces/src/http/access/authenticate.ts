// Authentication, the same for requests and for socket upgrades: the tenant, the user and the scopes of a caller. An agent
// runs commands by design, so an open route is remote code execution. Without a token, only programs and pages of this machine
// are let in: no page of another origin, not even one whose name resolves to this machine.
import { isId } from '@bridle/kernel/event'
import { findUnknownName } from '@bridle/kernel/text/nearest-name'
import { badRequest, Denial, isDenial } from '../denials/denial.ts'
import { isForwarded } from './proxy-headers.ts'
import { digest, hex, sameBytes } from './secrets.ts'
import type { TicketStore } from './tickets.ts'
import type { TokenBackoff } from './token-backoff.ts'

/** Time for an app's own check of a caller: a look into its database. A socket that waits for it counts as open. */
export const AUTHENTICATE_MS = 10_000

export const SCOPES = ['observe', 'operate', 'approve'] as const
/** `observe` reads and watches; `operate` runs, cancels and removes; `approve` answers approvals. */
export type Scope = (typeof SCOPES)[number]

export interface Access {
  readonly tenant: string
  readonly scopes: readonly Scope[]
  /** Set when a ticket opens one session only. */
  readonly sessionId: string | null
  /** Set when the credential is one user's. */
  readonly user: string | null
  /** The credential is for some tenants, or for one user: it may not read what concerns the whole server. */
  readonly isBound?: boolean
  /** The caller as the rate limiter counts it: the digest of a token, else an address. */
  readonly who: string
  readonly isTicket?: boolean
  /** The tenants that the credential may choose among; absent = any. */
  readonly tenants?: readonly string[]
  /** The server asks for no credential. */
  readonly isOpen?: boolean
}

export interface AccessOptions {
  /** This token allows any tenant. Undefined = no token is needed, and only this machine is let in. */
  readonly authToken?: string
  /** The name of an environment variable that holds the token. */
  readonly authTokenEnv?: string
  /** Further tokens, each for its own tenants and scopes. */
  readonly tokens?: readonly TokenGrant[]
  /** true = let in; false = 401; undefined = the token decides. */
  readonly extractAuthToken?: (request: Request) => boolean | undefined | Promise<boolean | undefined>
  /**
   * An app's own login decides who a caller is: null = nobody, so 401. A request with one of the server's tokens is not asked about.
   * Called for each request and each socket.
   */
  readonly authenticate?: (request: Request) => SignedInUser | null | Promise<SignedInUser | null>
  readonly tenantRequired?: boolean
  readonly allowedOrigins?: readonly string[]
  /** How many wrong tokens an address may send before it has to wait; default 30 a minute. */
  readonly authBackOff?: TokenBackoff
}

/** A caller that an app knows. */
export interface SignedInUser {
  /** The user, who opens no other user's session; null = a caller who may open every session of the tenant. */
  readonly user: string | null
  /** The tenant of the user; default: `default`. */
  readonly tenant?: string
  /** Default: all three. */
  readonly scopes?: readonly Scope[]
}

export interface TokenGrant {
  readonly token: string
  /** The tenants it may choose among; the first is its default. */
  readonly tenants?: readonly string[]
  readonly scopes?: readonly Scope[]
  /** The user whose token this is: it opens no other user's session. */
  readonly user?: string
}

/** The part of a request that access depends on. A `Request` has it; a target makes a smaller one for a socket's upgrade. */
export interface IncomingRequest {
  readonly url: string
  /** Absent for a socket's upgrade, which is a GET. */
  readonly method?: string
  readonly headers: Pick<Headers, 'get'> & { readonly keys: () => Iterable<string> }
  /** The name and scheme by which the caller reached the server, where a trusted proxy sends them; else the Host header counts. */
  readonly host?: string
  readonly scheme?: string
  /** Such as `1.1`; absent where the platform terminates HTTP. */
  readonly httpVersion?: string
  /** Makes the `Request` that a hook expects; absent where this is one already. */
  readonly toRequest?: () => Request
}

export interface Authenticator {
  authenticate(request: IncomingRequest, address: string): Promise<Access | Denial>
  /** How many requests of a proxy a server without a token refused. */
  refusedForwarded?(): number
}

export const createAuthenticator = (options: AccessOptions, tickets: TicketStore): Authenticator => {
  const grants = [...(options.authToken === undefined ? [] : [{ token: options.authToken }]), ...(options.tokens ?? [])]
  let digested: readonly { readonly grant: TokenGrant; readonly digest: ArrayBuffer }[] | null = null
  /** The digests are kept, and not their promise: on Workers, a request may not wait for a promise of another request. */
  const digestedGrants = async () => {
    digested ??= await Promise.all(grants.map(async (grant) => ({ grant, digest: await digest(grant.token) })))
    return digested
  }
  const { authenticate } = options
  let refusedForwarded = 0
  const isOpen = grants.length === 0 && !options.extractAuthToken && !authenticate

  /** The grant of the request's credential; null = the credential is missing or wrong. */
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
    // Every token is compared, so that the time taken does not show which one matched.
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

/** A token that lists its tenants may choose among them, and among no others. */
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
  /** A browser may send the credential by itself, such as a cookie: a page of another site would act as the person who opens it. */
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
  // An attacker's name that resolves to this machine (DNS rebinding) still stands in the Host header.
  const hosts = [request.headers.get('host'), request.host ?? null]
  if (isOpen && hosts.some((host) => host !== null && !isLoopback(hostOf(`http://${host}`)))) {
    return new Denial('forbidden', 'Without a token only this machine may ask.')
  }
  if (isOpen && isForwarded(request)) return new Denial('forbidden', THROUGH_A_PROXY)
  return null
}

/**
 * An image, a script or a frame of another site's page, which sends no Origin. A request of such a page itself names its Origin,
 * and a person who follows a link from there opens a page of ours.
 */
const isEmbedded = ({ headers, method = 'GET' }: IncomingRequest): boolean => {
  const site = headers.get('sec-fetch-site')
  const isNavigation = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  // A link asks with GET; a form that posts is the other page's doing.
  const isLink = isNavigation && method === 'GET'
  return (site === 'cross-site' || site === 'same-site') && !isLink
}

/** With an ambient credential, a page of this machine counts only where the server is one, too. */
const isTrustedOrigin = (
  origin: string,
  request: IncomingRequest,
  { isAmbient, allowed }: Omit<SourceRules, 'isOpen'>,
): boolean => {
  if (allowed.includes(origin) || isOwnOrigin(origin, request)) return true
  return isLoopback(hostOf(origin)) && (!isAmbient || isLoopback(hostOf(`http://${hostHeader(request) ?? ''}`)))
}

/** A login that never answers would keep its caller's place among the sockets for ever, and in the end keep all others out. */
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

/** The grant of a user whom the app names. A mistake in the app must not let anybody in as somebody else. */
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

/** The origin is listed, or a page of this machine. */
export const isAllowedOrigin = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes(origin) || isLoopback(hostOf(origin))

/** The page comes from this server, under any name by which the caller reaches it. */
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

/** A browser's socket may send its ticket as a subprotocol: proxies log addresses, and no subprotocols. */
const ticketSubprotocol = (request: IncomingRequest): string | null =>
  /(?:^|,)\s*ticket\.([A-Za-z0-9_-]+)\s*(?:,|$)/.exec(request.headers.get('sec-websocket-protocol') ?? '')?.[1] ?? null
