// Forwards requests about one session to its object, and answers others from the tenant's directory. Router, authentication,
// limits and errors are the same as on Node.
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Key } from '@bridle/kernel/event'
import type { SessionService } from '@bridle/kernel/host/host'
import { configuredSecret } from '@bridle/runners/secrets/configured-secret'
import type { ObjectStub } from '@bridle/stores/object/platform-types'
import { remoteDirectory } from '@bridle/stores/object/remote-directory'
import { readersName, tenantDirectory } from '@bridle/stores/object/shards'
import { remoteUploads } from '@bridle/stores/uploads/remote-uploads'
import { socketWires } from '@bridle/surfaces/all'
import type { App } from '@bridle/surfaces/app'
import {
  type Access,
  type AccessOptions,
  type Authenticator,
  createAuthenticator,
  isLoopback,
} from '@bridle/surfaces/http/access/authenticate'
import { refusePrivateAgent } from '@bridle/surfaces/http/access/exposure'
import type { TicketStore } from '@bridle/surfaces/http/access/tickets'
import { Denial, isDenial, notFound, toResponse } from '@bridle/surfaces/http/denials/denial'
import { type FileServer, firstSegment } from '@bridle/surfaces/http/router/pages'
import type { Route } from '@bridle/surfaces/http/router/route'
import {
  closeOnOpen,
  refuseSession,
  type SocketCall,
  type SocketRoute,
  upgradeSocket,
} from '@bridle/surfaces/http/streams/socket-route'
import { messageOf } from '@bridle/system/server-fault'
import { composeApp } from '../compose-app.ts'
import { createWorkerAgents } from './agents/worker-agents.ts'
import { runClock } from './alarms/object-clock.ts'
import { CREDENTIALS_PATH, readCredentialClaim } from './credentials/credential-proxy.ts'
import { sealedTickets } from './credentials/sealed-tickets.ts'
import { type SigningSecret, signingSecret } from './credentials/signing-secret.ts'
import { joinedExport } from './files/joined-export.ts'
import { splitImport } from './files/split-import.ts'
import type { TreeObjects } from './files/tree-objects.ts'
import { fetchObject, forwardToObject, forwardWithClaim } from './peers/forwarded-request.ts'
import {
  accessOptions,
  type HarnessEnv,
  type HarnessOptions,
  heartbeatMsFrom,
  shardCountsFrom,
  uploadPlatform,
} from './platform/options.ts'
import { copyOf, type PlatformSocket, type RequestContext, socketPair, upgradeResponse } from './platform/platform.ts'
import { connectProvider } from './sockets/provider-socket.ts'
import { dropUnreadBody } from './unread-body.ts'

/** The gateway and an object hold the file at the same time, and the object its events and their fold, all in 128 MB. */
const IMPORT_FILE_BYTES_MAX = 16 * 1024 * 1024

/** The stateless front, and the Worker's default export. */
export class HarnessGateway extends WorkerEntrypoint<HarnessEnv> {
  readonly #options: HarnessOptions

  constructor(ctx: RequestContext, env: HarnessEnv, options: HarnessOptions = plain) {
    super(ctx, env)
    this.#options = options
  }

  /** Handles a request. */
  fetch(request: Request): Promise<Response> {
    const made = gateways.get(this.#options) ?? gatewayOf(this.#options, this.env)
    if (isDenial(made)) return Promise.resolve(toResponse(made))
    gateways.set(this.#options, made)
    return made.fetch(request)
  }
}

/** A Worker cannot refuse to start, so an invalid setting is reported in every response. */
const gatewayOf = (options: HarnessOptions, env: HarnessEnv): Gateway | Denial => {
  try {
    return new Gateway(options, env)
  } catch (error) {
    const message = messageOf(error)
    console.error(message)
    return new Denial('internal_error', message)
  }
}

const plain: HarnessOptions = {}
const gateways = new WeakMap<HarnessOptions, Gateway>()

class Gateway {
  readonly #env: HarnessEnv
  readonly #secret: SigningSecret
  readonly #app: App
  readonly #sockets: readonly SocketRoute[]
  readonly #home: (key: Key) => Promise<string>

  constructor(options: HarnessOptions, env: HarnessEnv) {
    configuredSecret(env)
    heartbeatMsFrom(env)
    const shards = shardCountsFrom(env)
    const directory = remoteDirectory(env.HARNESS_DIRECTORY, shards)
    const access = accessOptions(options, env)
    const registry = createWorkerAgents(options, env, null)
    const secret = signingSecret(env)
    const tickets = sealedTickets(secret, (tenant, nonce, at) =>
      tenantDirectory(env.HARNESS_DIRECTORY, shards, tenant).redeem(nonce, at),
    )
    this.#env = env
    this.#secret = secret
    this.#home = directory.home
    this.#sockets = socketWires.map((row) => this.#forwardedSocketRoute(row))
    const { app } = composeApp({
      ...access,
      ...{ env, options, host: noSessions, directory, clock: runClock },
      agents: registry.agents,
      hasModel: (agent) => registry.hasModel(agent),
      // Only to tell which agents have a voice. Lines open in the objects of their sessions.
      lineClock: runClock,
      connect: connectProvider,
      tickets,
      signingSecret: secret,
      authenticator: gatewayAuthenticator(access, tickets),
      forward: (row) => this.#routeOf(row),
      uploads: remoteUploads(uploadPlatform(env)),
      workspace: { target: 'cloudflare', store: 'durable-object' },
      ...(env.ASSETS && { files: filesOf(env.ASSETS) }),
      callerAddress: (c) => c.req.header('cf-connecting-ip') ?? '',
    })
    this.#app = app
  }

  async fetch(request: Request): Promise<Response> {
    if (firstSegment(new URL(request.url).pathname) === firstSegment(CREDENTIALS_PATH))
      return this.#forwardCredentialCall(request)
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return this.#answer(withKey(request))
    const address = request.headers.get('cf-connecting-ip') ?? ''
    const answer = await upgradeSocket(this.#sockets, request, address, this.#app.ports)
    if (typeof answer !== 'function') return answer
    // Denied on an open socket, because browsers hide the reason of a refused upgrade.
    const { client, server } = socketPair()
    server.accept()
    answer(serverEnd(server))
    return upgradeResponse(client)
  }

  async #answer(request: Request): Promise<Response> {
    const answer = await this.#app.fetch(request)
    await dropUnreadBody(request)
    return answer
  }

  async #forwardCredentialCall(request: Request): Promise<Response> {
    const verdict = await readCredentialClaim(request, this.#secret)
    if ('answer' in verdict) return verdict.answer
    const { claim } = verdict
    return fetchObject(this.#env.HARNESS_SESSION, claim.home, forwardWithClaim(request, claim))
  }

  #routeOf(row: Route): Route {
    if (row.session) return this.#forwardedRoute(row)
    if (row.concerns === 'sessions') return this.#fileRoute(row)
    if (row.concerns !== 'directory') return row
    return { ...row, handle: ({ request, access }) => this.#forwardToDirectory(request, access) }
  }

  /** Exports are joined from the parts of several objects, and imports are split into such parts. */
  #fileRoute(row: Route): Route {
    const objects: TreeObjects = {
      home: (key) => this.#home(key),
      ask: (home, request, access, headers) =>
        fetchObject(this.#env.HARNESS_SESSION, home, forwardToObject(request, access, home, headers)),
    }
    return row.method === 'get'
      ? { ...row, handle: (call) => joinedExport(objects, call as Parameters<typeof joinedExport>[1]) }
      : {
          ...row,
          fileBytesMax: IMPORT_FILE_BYTES_MAX,
          handle: (call) => splitImport(objects, call as Parameters<typeof splitImport>[1]),
        }
  }

  /** The object validates query and body. */
  #forwardedRoute({ query: _query, body: _body, ...row }: Route): Route {
    return {
      ...row,
      isValidatedElsewhere: true,
      handle: async ({ request, access, key, rawBody }) => {
        if (!request.bodyUsed) return this.#forward(request, access, key as Key)
        // Finding the session consumed the body.
        const bytes = await rawBody.bytes()
        if (isDenial(bytes)) return bytes
        const { url, method, headers } = request
        const again = new Request(url, { method, headers, body: bytes as Uint8Array<ArrayBuffer> })
        return this.#forward(again, access, key as Key)
      },
    }
  }

  #forwardedSocketRoute(row: SocketRoute): SocketRoute {
    return {
      ...row,
      accept: async (call) => {
        if (!row.session) return this.#acceptInDirectory(call)
        const key = await row.session(call)
        if (isDenial(key)) return (row.refuse ?? refuseSession)(key)
        const closed = refusePrivateAgent(call, key.agent, row.exposureKind)
        return closed ? (row.refuse ?? closeOnOpen)(closed) : this.#forward(call.request as Request, call.access, key)
      },
    }
  }

  /** A ticket for one session must not open routes about others. */
  #acceptInDirectory({ request, access }: SocketCall): Promise<Response | Denial> | Denial {
    return access.sessionId === null ? this.#forwardToDirectory(request as Request, access) : notFound()
  }

  async #forwardToDirectory(request: Request, access: Access): Promise<Response | Denial> {
    const name = readersName(access.tenant, shardCountsFrom(this.#env).count)
    try {
      return copyOf(await fetchObject(this.#env.HARNESS_DIRECTORY, name, forwardToObject(request, access, name)))
    } catch {
      return new Denial('unavailable', 'The directory moved; try again.', { 'retry-after': '1' })
    }
  }

  async #forward(request: Request, access: Access, key: Key): Promise<Response | Denial> {
    try {
      const home = await this.#home(key)
      return copyOf(await fetchObject(this.#env.HARNESS_SESSION, home, forwardToObject(request, access, home)))
    } catch {
      return new Denial('unavailable', 'The session moved; try again.', { 'retry-after': '1' })
    }
  }
}

/** Gateway and object each derive a new session's id from the idempotency key, so every request needs one. */
const withKey = (request: Request): Request => {
  const isNew =
    request.method === 'POST' && /^\/((chat\/)?sessions|(v1\/)?openharness)$/.test(new URL(request.url).pathname)
  if (!isNew || request.headers.has('idempotency-key')) return request
  const headers = new Headers(request.headers)
  headers.set('idempotency-key', crypto.randomUUID())
  return new Request(request, { headers })
}

const filesOf =
  (assets: ObjectStub): FileServer =>
  (request) =>
    assets.fetch(request)

/** Without a token, only a local server is open. A deployment must set BRIDLE_OPEN. */
const gatewayAuthenticator = (access: AccessOptions, tickets: TicketStore): Authenticator => {
  const inner = createAuthenticator(access, tickets)
  const isOpen =
    access.authToken === undefined && !access.tokens?.length && !access.extractAuthToken && !access.authenticate
  if (!isOpen) return inner
  return {
    authenticate: async (request, address) =>
      isLoopback(new URL(request.url).hostname)
        ? inner.authenticate(request, address)
        : new Denial(
            'unauthorized',
            'This deployment has no token. Set the secret FABRIC_HARNESS_API_TOKEN, or BRIDLE_OPEN=1 to let anybody in.',
            { 'www-authenticate': 'Bearer' },
          ),
  }
}

const serverEnd = (socket: PlatformSocket) => ({
  send: (messages: readonly string[]) => {
    for (const message of messages) socket.send(message)
  },
  close: (code: number, reason: string) => socket.close(code, reason),
  buffered: () => 0,
  drained: async () => {},
})

const notInGateway = (): never => {
  throw new Error('Sessions are in their objects.')
}

const noSessions: SessionService = {
  open: notInGateway,
  find: notInGateway,
  send: notInGateway,
  stopTask: notInGateway,
  branch: notInGateway,
  importLog: notInGateway,
  importedPrompts: notInGateway,
  usedSeq: notInGateway,
  remove: notInGateway,
  counts: () => ({ sessions: 0, listeners: 0, running: 0, waiting: 0, events: 0 }),
}
