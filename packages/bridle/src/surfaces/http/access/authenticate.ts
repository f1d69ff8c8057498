// Who asks, and what they may do. One answer for requests and for socket upgrades. The agent runs commands by design,
// so an open route is remote code execution: without a token only this machine may ask, and no web page of another
// origin, not even by a name that resolves to this machine.
import { isId } from '../../../kernel/event.ts'
import { badRequest, Denial, isDenial } from '../router/denial.ts'
import { isForwarded } from './proxy-headers.ts'
import { digest, hex, sameBytes } from './secrets.ts'
import type { TicketStore } from './tickets.ts'
import type { TokenBackoff } from './token-backoff.ts'

export const SCOPES = ['observe', 'operate', 'approve'] as const
/** observe: read and watch. operate: run, cancel, remove. approve: answer approvals. */
export type Scope = (typeof SCOPES)[number]

export interface Access {
  readonly tenant: string
  readonly scopes: readonly Scope[]
  /** Set when a ticket opens one session only. */
  readonly sessionId: string | null
  /** Set when the credential is one user's. */
  readonly user: string | null
  /** The credential is for some tenants, or for one user, and not for what concerns the whole server. */
  readonly isBound?: boolean
  /** Whom the rate limiter counts: a token's digest, else an address. */
  readonly who: string
  /** Set when the credential is a ticket. */
  readonly isTicket?: boolean
}

export interface AccessOptions {
  /** Undefined = open, on loopback only. Allows any tenant. */
  readonly authToken?: string
  /** The name of a variable that holds the token. */
  readonly authTokenEnv?: string
  /** Further tokens, each for its own tenants and scopes. */
  readonly tokens?: readonly TokenGrant[]
  /** true = let in, false = 401, undefined = look at the token. */
  readonly extractAuthToken?: (request: Request) => boolean | undefined | Promise<boolean | undefined>
  readonly tenantRequired?: boolean
  readonly allowedOrigins?: readonly string[]
  /** How many wrong tokens an address may bring before it has to wait; default 30 a minute. */
  readonly authBackOff?: TokenBackoff
}

export interface TokenGrant {
  readonly token: string
  /** The tenants it may choose among; the first is its default. */
  readonly tenants?: readonly string[]
  readonly scopes?: readonly Scope[]
  /** The user whose token it is: it opens no other user's session on `/ws`. */
  readonly user?: string
}

/** What the door looks at. A `Request` is one; for an upgrade, which is never answered as one, a target brings less. */
export interface IncomingRequest {
  readonly url: string
  readonly headers: Pick<Headers, 'get'>
  /** The name and scheme by which a page was asked, where a trusted proxy says so; else the Host header counts. */
  readonly host?: string
  readonly scheme?: string
  /** The whole request, for a hook that wants one; left out where it is one already. */
  readonly toRequest?: () => Request
}

export interface Authenticator {
  /** Who it is and what they may do, or the refusal. */
  authenticate(request: IncomingRequest, address: string): Promise<Access | Denial>
}

export const createAuthenticator = (options: AccessOptions, tickets: TicketStore): Authenticator => {
  const grants = [...(options.authToken === undefined ? [] : [{ token: options.authToken }]), ...(options.tokens ?? [])]
  let digested: readonly { readonly grant: TokenGrant; readonly digest: ArrayBuffer }[] | null = null
  /** Kept as values: on Workers, what one request promises is not another's to wait for. */
  const known = async () => {
    digested ??= await Promise.all(grants.map(async (grant) => ({ grant, digest: await digest(grant.token) })))
    return digested
  }
  const isOpen = grants.length === 0 && !options.extractAuthToken

  /** What the credential allows; null = it is not one. */
  const granted = async (
    request: IncomingRequest,
    url: URL,
  ): Promise<(Omit<TokenGrant, 'token'> & { who?: string }) | null> => {
    const said = await options.extractAuthToken?.(request.toRequest?.() ?? (request as Request))
    if (said !== undefined) return said ? {} : null
    if (isOpen) return {}
    const token = bearerToken(request) ?? url.searchParams.get('token')
    if (!token) return null
    const given = await digest(token)
    let match: (TokenGrant & { who: string }) | null = null
    // All are compared, so the time taken tells nothing of which one was close.
    for (const { grant, digest: expected } of await known()) {
      if (sameBytes(given, expected)) match = { ...grant, who: hex(given) }
    }
    return match
  }

  return {
    async authenticate(request, address) {
      const url = new URL(request.url)
      const stranger = checkSource(request, isOpen, options.allowedOrigins ?? [])
      if (stranger) return stranger
      const ticket = url.searchParams.get('ticket') ?? ticketSubprotocol(request)
      if (ticket)
        return (
          (await tickets.redeem(ticket, request.headers.get('origin'))) ??
          new Denial('unauthorized', 'The ticket is used up, expired or unknown.')
        )
      const grant = await granted(request, url)
      if (!grant)
        return new Denial('unauthorized', 'A valid bearer token is required.', { 'www-authenticate': 'Bearer' })
      const asked = request.headers.get('x-fabric-tenant') ?? url.searchParams.get('tenant')
      const tenant = chooseTenant(asked, grant, options.tenantRequired ?? false)
      if (isDenial(tenant)) return tenant
      return {
        tenant,
        scopes: grant.scopes ?? SCOPES,
        sessionId: null,
        user: grant.user ?? null,
        ...((grant.tenants || grant.user !== undefined) && { isBound: true }),
        who: grant.who ?? address,
      }
    },
  }
}

/** A token that lists its tenants may choose among them, and among no others. */
const chooseTenant = (
  asked: string | null,
  { tenants }: Omit<TokenGrant, 'token'>,
  required: boolean,
): string | Denial => {
  if (asked === null)
    return tenants?.[0] ?? (required ? badRequest('A tenant is required: X-Fabric-Tenant or ?tenant=.') : 'default')
  if (!isId(asked)) return badRequest('The tenant is not a valid id.')
  return tenants && !tenants.includes(asked) ? new Denial('forbidden', 'This token is not for that tenant.') : asked
}

const checkSource = (request: IncomingRequest, isOpen: boolean, allowed: readonly string[]): Denial | null => {
  const origin = request.headers.get('origin')
  if (origin !== null && !isAllowedOrigin(origin, allowed) && !isOwnOrigin(origin, request)) {
    return new Denial('forbidden', 'This origin is not allowed.')
  }
  if (isOpen && origin === null && isEmbedded(request)) return new Denial('forbidden', 'This page is of another site.')
  // A name that was made to resolve to this machine still says itself in the Host header.
  const hosts = [request.headers.get('host'), request.host ?? null]
  if (isOpen && hosts.some((host) => host !== null && !isLoopback(hostOf(`http://${host}`)))) {
    return new Denial('forbidden', 'Without a token only this machine may ask.')
  }
  if (isOpen && isForwarded(request)) return new Denial('forbidden', THROUGH_A_PROXY)
  return null
}

/**
 * Without an Origin, yet from a page of another site: an image, a script, a frame. A page that may ask says its Origin, and a
 * person who follows a link opens a page of ours.
 */
const isEmbedded = ({ headers }: IncomingRequest): boolean => {
  const site = headers.get('sec-fetch-site')
  const isLink = headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  return (site === 'cross-site' || site === 'same-site') && !isLink
}

/** Listed, or a page of this machine. */
export const isAllowedOrigin = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes(origin) || isLoopback(hostOf(origin))

/** A page of this very server, by whatever name it is reached. Without a token that name must be a loopback one. */
const isOwnOrigin = (origin: string, request: IncomingRequest): boolean => {
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  return host === hostHeader(request) && (request.scheme === undefined || protocol === `${request.scheme}:`)
}

const hostHeader = (request: IncomingRequest): string | null => request.host ?? request.headers.get('host')

const THROUGH_A_PROXY =
  'Without a token only this machine may ask, and this request came through a proxy (it has X-Forwarded-For, Forwarded or the like). Set FABRIC_HARNESS_API_TOKEN, or start with --token.'

export const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host.endsWith('.localhost') ||
  host === '[::1]' ||
  host === '::1' ||
  /^127(\.\d{1,3}){3}$/.test(host)

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

const bearerToken = (request: IncomingRequest): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null

/** A browser's socket may carry its ticket as a subprotocol, which no proxy logs. */
const ticketSubprotocol = (request: IncomingRequest): string | null =>
  /(?:^|,)\s*ticket\.([A-Za-z0-9_-]+)\s*(?:,|$)/.exec(request.headers.get('sec-websocket-protocol') ?? '')?.[1] ?? null
