// Bridle on Node: one process, one data folder, one port. Wiring and nothing else.

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { assert } from '../../kernel/assert.ts'
import { keyText } from '../../kernel/event.ts'
import { Host, type HostPorts } from '../../kernel/host/host.ts'
import { present } from '../../kernel/json.ts'
import type { Clock, Digest } from '../../kernel/ports/store.ts'
import { scriptedRunner } from '../../runners/in-process/scripted.ts'
import { TenantDiskUsage } from '../../runners/sandboxes/folders/tenant-disk-usage.ts'
import { sandboxUser } from '../../runners/sandboxes/isolation/sandbox-user.ts'
import type { StoreOpener } from '../../stores/open-store.ts'
import { httpWires, socketWires } from '../../surfaces/all.ts'
import { type AccessOptions, isLoopback } from '../../surfaces/http/access/authenticate.ts'
import { type ExposurePolicy, exposureOf, exposureReport, isExposed } from '../../surfaces/http/access/exposure.ts'
import type { RateLimit } from '../../surfaces/http/access/rate-limit.ts'
import { createApp } from '../../surfaces/http/router/app.ts'
import { createEngineAgents, type EngineAgentsOptions } from '../agents/engines.ts'
import { defaultAgent } from '../agents/registry.ts'
import { scriptedAgent } from '../agents/scripted.ts'
import { type AgentsOptions, loadServerAgents } from '../agents/server-agents.ts'
import { ServerFault } from '../server-fault.ts'
import { Backlog } from './backlog.ts'
import { listBuildManifests } from './build-manifests.ts'
import { ensureLocalToken, publishAddress } from './credentials/local-token.ts'
import { eventLoop } from './event-loop.ts'
import { compressResponse } from './http/compression.ts'
import { limitConnections } from './http/connection-limits.ts'
import { sendEventStream } from './http/event-streams.ts'
import { OfferingRequest } from './http/offered-upgrade.ts'
import { answerParserErrors, requestErrorResponse } from './http/parser-errors.ts'
import { addProbeHost } from './http/probe-host.ts'
import { proxyFilter } from './http/trusted-proxies.ts'
import { createLogger, type Logger } from './logger.ts'
import { openServerStore } from './server-store.ts'
import { attachSocketServer } from './sockets/server-sockets.ts'
import type { SocketLimits } from './sockets/socket-monitor.ts'
import { watchStoreHealth } from './store-health.ts'
import { createTracing } from './tracing.ts'
import { folderAccess, type WorkspaceOptions } from './workspaces/workspace-sources.ts'
import { NodeWorkspaces } from './workspaces/workspaces.ts'

export type { Directory, Lease, Log, LogAppend, StoreFaultCode } from '../../kernel/ports/store.ts'
export { StoreFault } from '../../kernel/ports/store.ts'
export type { OpenStore, StoreContext, StoreOpener } from '../../stores/open-store.ts'

export interface ServerOptions
  extends AccessOptions,
    AgentsOptions,
    SocketLimits,
    Pick<EngineAgentsOptions, 'sandbox' | 'engines'> {
  /** Default 4317; 0 = any free one. */
  readonly port?: number
  /** Default 127.0.0.1. Any other needs a token. */
  readonly host?: string
  /** The data folder; default `.bridle`. */
  readonly data?: string
  /**
   * Where sessions are kept: `sqlite` (the default, in the data folder), `memory` (until the server stops), the path of a module
   * whose default export is a `StoreOpener`, or a `StoreOpener`. Secrets, sandboxes and work folders stay in the data folder.
   */
  readonly store?: 'sqlite' | 'memory' | (string & {}) | StoreOpener
  /** Makes a token once, keeps it in the data folder, and asks every caller for it or for one of the others. */
  readonly keepToken?: boolean
  /** The folders that workspaces may begin with, for everybody or for one tenant; default: none, so they begin empty. */
  readonly workspaces?: WorkspaceOptions
  /** Agents that are open in production without a trigger of their own; BRIDLE_EXPOSE names more. */
  readonly expose?: readonly string[]
  readonly rateLimit?: RateLimit
  /** Proxies whose X-Forwarded-For, -Host and -Proto count: addresses, ranges, or `loopback`. BRIDLE_TRUST_PROXY names more. */
  readonly trustedProxies?: readonly string[]
  /** Default 8 MiB. */
  readonly maxBodyBytes?: number
  /** Where FABRIC_MODE, FABRIC_ENV, NODE_ENV, FABRIC_HARNESS_TENANT_REQUIRED and tokens are looked up. */
  readonly env?: NodeJS.ProcessEnv
  /** At most one token event per this many ms; 0 = every token. */
  readonly tokenPaceMs?: number
  readonly heartbeatMs?: number
  /** How long a reader of an event stream waits before it comes back; default 2 s. */
  readonly retryMs?: number
  /** A socket that says nothing for this long is closed; default 45 s. */
  readonly deadAfterMs?: number
  /** A connection has this long to send the headers of its first request; default 10 s. */
  readonly headersMs?: number
  /** A connection that nobody uses stays open this long; default 75 s, more than proxies keep theirs (60 s). */
  readonly keepAliveMs?: number
  /** Connections open at once, of all kinds; default 20,000. */
  readonly maxConnections?: number
  /** Sockets open at once; default 10,000. */
  readonly maxSockets?: number
  /** A connection beyond this from one address is refused; default 1,000, loopback excepted. What is set counts for all. */
  readonly maxConnectionsPerAddress?: number
  /** Bytes written to all streams and sockets together that their readers have not taken; default 256 MiB. */
  readonly maxUnsentBytes?: number
  /** For loaded sessions, counted: beyond it idle ones leave. Default 256 MiB, and half of it for one tenant. */
  readonly memory?: HostPorts['memory']
  /** Where it tells of itself; default: standard error, as BRIDLE_LOG says. */
  readonly log?: Logger
}

/** A running server. What `npm start` runs. */
export class HarnessServer {
  readonly url: string
  readonly #close: (graceMs?: number) => Promise<void>
  readonly #gate: ExposurePolicy

  private constructor(url: string, close: (graceMs?: number) => Promise<void>, gate: ExposurePolicy) {
    this.url = url
    this.#close = close
    this.#gate = gate
  }

  /** Resolves when it listens and has taken up what the last process left. */
  static async start(options: ServerOptions = {}): Promise<HarnessServer> {
    const { port = 4317, host: hostname = '127.0.0.1', data = '.bridle', env = process.env } = options
    const authToken = options.authToken ?? (options.authTokenEnv === undefined ? undefined : env[options.authTokenEnv])
    if (options.authTokenEnv !== undefined && !authToken)
      throw new ServerFault('token_missing', `${options.authTokenEnv} holds no token.`)
    const { keepToken = false } = options
    const isOpen = authToken === undefined && !options.tokens?.length && !options.extractAuthToken && !keepToken
    if (isOpen && !isLoopback(hostname)) {
      throw new ServerFault(
        'token_required',
        `Listening on ${hostname} without a token would let anybody run the agents. Set FABRIC_HARNESS_API_TOKEN, or start with --token.`,
      )
    }
    const tenantRequired = options.tenantRequired ?? env.FABRIC_HARNESS_TENANT_REQUIRED === '1'
    const log = options.log ?? standardLogger(env)
    const traces = createTracing()
    let draining = false
    // Before anything is open: a setting that makes no sense is refused here.
    const owner = sandboxUser(env)
    const isTrustedProxy = proxyFilter(options.trustedProxies, env)
    const store = await openServerStore(options.store ?? 'sqlite', data)
    if (store.damage) log('error', 'acknowledged commits are missing', { ...store.damage })
    const { maxTenantBytes } = options.workspaces ?? {}
    const tenantUsage = new TenantDiskUsage(data, maxTenantBytes === undefined ? {} : { max: maxTenantBytes })
    const prepared = async () => {
      publishAddress(data, null)
      const ownerToken = keepToken ? ensureLocalToken(data) : null
      const tokens = [...(options.tokens ?? []), ...(ownerToken === null ? [] : [{ token: ownerToken }])]
      return { ownerToken, tokens, ...(await loadAgents(options, { isOpen, data, tenantUsage, env, log })) }
    }
    const { engines, served, tokens, ownerToken } = await prepared().catch(async (error) => {
      await store.close()
      throw error
    })
    const workspaces = new NodeWorkspaces({
      data,
      workspaces: options.workspaces,
      exists: async (key) => (await host.find(key).catch(() => key)) !== null,
      mayNameAnyFolder: folderAccess({ ...options, hostname, isOpen, tenantRequired, ownerToken }),
      tenantUsage,
      ...(owner && { owner }),
    })
    const host = new Host({
      log: store.log,
      directory: store.directory,
      clock,
      digest,
      eventLoop,
      runner: (agent) => {
        const runner = served.runners.get(agent)
        return runner ? workspaces.wrapRunner(runner) : null
      },
      ...present({ tokenPaceMs: options.tokenPaceMs, memory: options.memory }),
      onCommit: (key, events) => traces.events(key, events),
      onFault: (key, cause) =>
        log('error', key ? 'session stopped' : 'due sessions could not be looked for', {
          ...(key && { session: keyText(key) }),
          cause: cause instanceof Error ? cause.message : String(cause),
        }),
    })
    const exposure = exposureOf(env, options.expose)
    const trouble = watchStoreHealth(store, resolve(data), log)
    const watch = setInterval(trouble, LOOK_MS).unref()
    const app = createApp(
      {
        ...options,
        ...present({ authToken }),
        tokens,
        tenantRequired,
        host,
        directory: store.directory,
        clock,
        agents: served.agents,
        defaultAgent: defaultAgent(served.agents, env),
        ...exposure,
        workspaces,
        builds: () => listBuildManifests(data),
        workspace: { target: 'node', store: store.name },
        lostCommits: store.damage?.commitsLost ?? 0,
        ...(isTrustedProxy && { isTrustedProxy }),
        isStopping: () => draining,
        notReadyReason: () => (draining ? 'The server is going away.' : trouble()),
        onRequest: (seen) => {
          traces.request(seen, clock.now())
          log(seen.status >= 500 ? 'warn' : 'info', 'request', { ...seen })
        },
        callerAddress: (c) => (c.env as { incoming?: IncomingMessage }).incoming?.socket.remoteAddress ?? '',
      },
      httpWires,
    )
    const backlog = new Backlog(options.maxUnsentBytes)
    const fetch = async (request: Request, env: unknown) =>
      sendEventStream(
        await compressResponse(request, await app.fetch(request, env)),
        (env as HttpBindings).outgoing,
        backlog,
      )
    const listener = getRequestListener(fetch, { errorHandler: requestErrorResponse })
    const server = createServer(
      { ...requestLimits(options), IncomingMessage: OfferingRequest },
      (incoming, outgoing) => {
        addProbeHost(incoming)
        return listener(incoming, outgoing)
      },
    )
    answerParserErrors(server)
    limitConnections(server, options)
    const sockets = attachSocketServer(server, app, socketWires, backlog, options)
    const close = async (graceMs = 0) => {
      draining = true
      // Before the port is free: whoever listens there next is not given this server's token.
      publishAddress(data, null)
      clearInterval(watch)
      served.close()
      // In-process runs that can end in time do; the others are taken up, or told of, by the next start. Until then the port stays
      // open: a balancer has to see that /ready is 503, and whoever answers an approval has to reach it.
      for (const until = clock.now() + graceMs; host.runningCount > 0 && clock.now() < until; ) await sleep(20)
      server.close()
      await host.handOver()
      await host.stop()
      await sockets.close()
      server.closeAllConnections()
      await engines.close()
      await store.close()
    }
    try {
      await listen(server, port, hostname)
      await host.start()
      await engines.stopOrphans(host)
      await workspaces.removeOrphans()
    } catch (error) {
      await close()
      throw error
    }
    const at = server.address()
    assert(at !== null && typeof at === 'object', 'a server that listens has an address and a port')
    const url = `http://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}`
    if (keepToken) publishAddress(data, url)
    if (engines.warning !== null) log('warn', engines.warning)
    return new HarnessServer(url, close, { ...exposure, agents: served.agents })
  }

  /** In production: which agents are open, and how to open the others; null = all are. */
  get exposureNote(): string | null {
    return exposureReport(this.#gate)
  }

  /** An agent to try: scripted, else the first that is open; null = none is. */
  get openAgent(): string | null {
    return ['scripted', ...this.#gate.agents.keys()].find((name) => isExposed(this.#gate, name)) ?? null
  }

  /** Takes no more, gives runs their grace, tells watchers to come back, and gives the data folder free. */
  close({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    return this.#close(graceMs)
  }
}

interface AgentSetup {
  readonly isOpen: boolean
  readonly data: string
  readonly tenantUsage: TenantDiskUsage
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
}

const loadAgents = async (options: ServerOptions, { isOpen, data, tenantUsage, env, log }: AgentSetup) => {
  const { sandbox, engines: settings } = options
  const engines = await createEngineAgents({
    data,
    folders: { tenantUsage },
    env,
    clock,
    digest,
    isOpen,
    ...present({ sandbox, engines: settings }),
  })
  const builtIn = [[scriptedAgent, scriptedRunner({ clock, digest })] as const, ...engines.agents]
  try {
    const served = await loadServerAgents(options, builtIn, { clock, digest }, (line) => log('warn', line))
    return { engines, served }
  } catch (error) {
    await engines.close()
    throw error
  }
}

/** The same, by the name the Fabric document uses. */
export const startDevServer = (options?: ServerOptions): Promise<HarnessServer> => HarnessServer.start(options)

/** How often the server looks whether its data can still be written, though nobody asks. */
const LOOK_MS = 1_000

/** nginx and the balancers of clouds keep a connection for 60 s: a server that closes first answers a request with a reset. */
const KEEP_ALIVE_MS = 75_000

/** A client that says nothing, or dribbles its request, holds a connection and no more than that for so long. */
const requestLimits = ({ headersMs = 10_000, keepAliveMs = KEEP_ALIVE_MS }: ServerOptions) => ({
  headersTimeout: headersMs,
  keepAliveTimeout: keepAliveMs,
  requestTimeout: Math.max(60_000, headersMs),
  connectionsCheckingInterval: Math.min(2_000, headersMs),
  // The router says so itself, with a body.
  requireHostHeader: false,
  // A peer whose machine is gone is noticed, though nothing is sent to it.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
})

const listen = (server: Server, port: number, hostname: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, () => {
      server.off('error', reject)
      resolve()
    })
  })

const standardLogger = (env: NodeJS.ProcessEnv): Logger =>
  createLogger({
    level: env.BRIDLE_LOG,
    isTerminal: process.stderr.isTTY ?? false,
    write: (line) => process.stderr.write(`${line}\n`),
    now: clock.now,
  })

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

const digest: Digest = async (text) => createHash('sha256').update(text).digest('hex')
