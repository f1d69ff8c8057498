// Bridle on Node: one process, one data folder, one port. This file only connects the parts.

import { createServer, type IncomingMessage } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { AgentFailure } from '../../agents/agent-run.ts'
import { shortErrorMessage } from '../../agents/error-message.ts'
import type { AgentInfo } from '../../kernel/agent-info.ts'
import { type Key, keyText } from '../../kernel/event.ts'
import { hostChildSessions } from '../../kernel/host/child-sessions.ts'
import { Host } from '../../kernel/host/host.ts'
import { present } from '../../kernel/json.ts'
import type { Runner } from '../../kernel/ports/runner.ts'
import { scriptedRunner } from '../../runners/in-process/scripted.ts'
import { TenantDiskUsage } from '../../runners/sandboxes/folders/tenant-disk-usage.ts'
import { sandboxUser } from '../../runners/sandboxes/isolation/sandbox-user.ts'
import { serverSecret } from '../../runners/secrets/server-secret.ts'
import { StoredUploads } from '../../stores/uploads/stored-uploads.ts'
import { memoryUploadFolder, uploadFolder } from '../../stores/uploads/upload-folder.ts'
import { httpWires, socketWires } from '../../surfaces/all.ts'
import { ChangeFeed } from '../../surfaces/changes/change-feed.ts'
import { isLoopback } from '../../surfaces/http/access/authenticate.ts'
import { type ExposurePolicy, exposureOf, exposureReport, isExposed } from '../../surfaces/http/access/exposure.ts'
import { engineOf } from '../../surfaces/http/agent-engine.ts'
import { createApp } from '../../surfaces/http/router/app.ts'
import { voiceAccess } from '../../surfaces/voice/access.ts'
import type { Lines } from '../../voice/lines.ts'
import { createEngineAgents } from '../agents/engines.ts'
import { defaultAgent } from '../agents/registry.ts'
import { scriptedAgent } from '../agents/scripted.ts'
import { loadServerAgents } from '../agents/server-agents.ts'
import { ServerFault } from '../server-fault.ts'
import { checkVoiceSettings, createServerLines } from '../voice/server-lines.ts'
import { Backlog } from './backlog.ts'
import { listBuildManifests } from './build-manifests.ts'
import { ensureLocalToken, publishAddress } from './credentials/local-token.ts'
import { eventLoop } from './event-loop.ts'
import { fileFetcherOf } from './file-fetching.ts'
import { appFiles, builtCockpit } from './http/app-files.ts'
import { compressResponse } from './http/compression.ts'
import { limitConnections } from './http/connection-limits.ts'
import { sendEventStream } from './http/event-streams.ts'
import { listen, requestTimeouts } from './http/listening.ts'
import { OfferingRequest } from './http/offered-upgrade.ts'
import { answerParserErrors, requestErrorResponse } from './http/parser-errors.ts'
import { addProbeHost } from './http/probe-host.ts'
import { proxyFilter } from './http/trusted-proxies.ts'
import { closeAfterUnreadBody } from './http/unread-body.ts'
import { DRAIN_POLL_MS, STORE_CHECK_MS, STORE_OPENING_MS } from './limits.ts'
import { type Logger, standardLogger } from './logger.ts'
import { createRunTracer } from './run-tracer.ts'
import { runUpdates } from './run-updates.ts'
import type { ServerOptions } from './server-options.ts'
import { openServerStore } from './server-store.ts'
import { connectProvider } from './sockets/provider-socket.ts'
import { attachSocketServer } from './sockets/server-sockets.ts'
import { watchStoreHealth } from './store-health.ts'
import { clock, digest } from './system-ports.ts'
import { createTracing } from './tracing.ts'
import { NodeWorkspaceFiles } from './workspaces/workspace-files.ts'
import { folderAccess } from './workspaces/workspace-sources.ts'
import { NodeWorkspaces } from './workspaces/workspaces.ts'

export type { AgentFailure } from '../../agents/agent-run.ts'
export type { Directory } from '../../kernel/ports/directory.ts'
export type { Lease, Log, LogAppend } from '../../kernel/ports/log.ts'
export { StoreFault, type StoreFaultCode } from '../../kernel/ports/store-fault.ts'
export type { OpenStore, StoreContext, StoreOpener } from '../../stores/open-store.ts'
export type { FileServer } from '../../surfaces/http/router/pages.ts'
export type { AgentFileChange } from '../agents/file-changes.ts'
export type { ModelProvider, ModelProviders } from '../models/model-source.ts'
export type { RunUpdate } from './run-updates.ts'
export type { ServerOptions } from './server-options.ts'

/** The agents of a server; `needs` says what is missing where one cannot run. */
export type ServedAgents = ReadonlyMap<
  string,
  Pick<AgentInfo, 'name' | 'needs' | 'engine' | 'isDefault' | 'inputSchema'>
>

/** A running server. */
export class HarnessServer {
  /** The address of the server. */
  readonly url: string
  readonly #close: (graceMs?: number) => Promise<void>
  readonly #exposure: ExposurePolicy
  /** The agents by name, as they are now. */
  readonly agents: ServedAgents
  /** Whether there is a web app at `/`. */
  readonly hasCockpit: boolean

  private constructor(
    url: string,
    close: (graceMs?: number) => Promise<void>,
    exposure: ExposurePolicy,
    serves: { readonly agents: ServedAgents; readonly hasCockpit: boolean },
  ) {
    this.url = url
    this.agents = serves.agents
    this.hasCockpit = serves.hasCockpit
    this.#close = close
    this.#exposure = exposure
  }

  /** Resolves when the server listens and has continued the work that the last process left. */
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
    const log = options.log ?? standardLogger(env, clock.now)
    const traces = createTracing()
    let draining = false
    // Check settings before anything is open.
    const owner = sandboxUser(env)
    const isTrustedProxy = proxyFilter(options.trustedProxies, env)
    const fileFetcher = fileFetcherOf(options.openharness)
    checkVoiceSettings(env)
    // Not `unref`: the timer keeps the process alive while a store waits for something that does not.
    const opening = setInterval(() => log('warn', 'the store is still opening', { data }), STORE_OPENING_MS)
    const store = await openServerStore(options.store ?? 'sqlite', data).finally(() => clearInterval(opening))
    if (store.damage) log('error', 'acknowledged commits are missing', { ...store.damage })
    const { maxTenantBytes } = options.workspaces ?? {}
    const tenantUsage = new TenantDiskUsage(data, maxTenantBytes === undefined ? {} : { max: maxTenantBytes })
    const prepare = async () => {
      publishAddress(data, null)
      const ownerToken = keepToken ? ensureLocalToken(data) : null
      const tokens = [...(options.tokens ?? []), ...(ownerToken === null ? [] : [{ token: ownerToken }])]
      const folder = store.name === 'memory' ? memoryUploadFolder() : uploadFolder(join(resolve(data), 'files'))
      const uploads = await StoredUploads.open(folder, clock.now)
      const voiceModel = (key: Key) => lines.modelFor(key)
      const setup = { isOpen, data, tenantUsage, uploads, host: () => host, voiceModel, env, log }
      const agents = await loadAgents(options, setup)
      return { ownerToken, tokens, uploads, ...agents }
    }
    // An error of the start says what to mend; an error of the store that closes after it goes to the log.
    const logCloseError = (cause: unknown) =>
      log('error', 'the store could not be closed', {
        data,
        cause: cause instanceof Error ? cause.message : String(cause),
      })
    const { engines, served, tokens, ownerToken, uploads } = await prepare().catch(async (error) => {
      await store.close().catch(logCloseError)
      throw error
    })
    const exists = async (key: Key) => (await host.find(key).catch(() => key)) !== null
    const workspaces = new NodeWorkspaces({
      data,
      workspaces: options.workspaces,
      exists,
      mayNameAnyFolder: folderAccess({ ...options, hostname, isOpen, tenantRequired, ownerToken }),
      tenantUsage,
      ...(owner && { owner }),
    })
    const changes = new ChangeFeed({ clock, identityOf: (agent) => engineOf(served.agents, agent) })
    const readRuns = options.onRun && runUpdates(options.onRun)
    const host = new Host({
      log: store.log,
      directory: store.directory,
      clock,
      digest,
      eventLoop,
      rows: changes,
      runner: (agent) => workspaces.wrapRunner(withUploads(served.runnerOf(agent), uploads)),
      ...present({ tokenPaceMs: options.tokenPaceMs, memory: options.memory }),
      // The loop of a model agent makes its own spans.
      onCommit: (key, events) => {
        readRuns?.(key, events)
        if (!served.hasModel(key.agent)) traces.events(key, events)
      },
      onFault: (key, cause) =>
        log('error', key ? 'session stopped' : 'due sessions could not be looked for', {
          ...(key && { session: keyText(key) }),
          cause: cause instanceof Error ? cause.message : String(cause),
        }),
    })
    const lines = createServerLines({
      ...{ env, clock, host: () => host, connect: connectProvider },
      hasModel: (agent) => served.hasModel(agent),
    })
    const exposure = exposureOf(env, options.expose)
    const cockpit = options.cockpit ?? builtCockpit()
    const storeProblem = watchStoreHealth(store, resolve(data), log)
    const watch = setInterval(storeProblem, STORE_CHECK_MS).unref()
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
        ...voiceAccess(options, env),
        workspaces,
        workspaceFiles: new NodeWorkspaceFiles(data),
        uploads,
        ...(cockpit !== false && { files: typeof cockpit === 'string' ? appFiles(cockpit) : cockpit }),
        changes,
        voice: lines,
        ...(fileFetcher && { fileFetcher }),
        signingSecret: async () => serverSecret(data, env),
        builds: () => listBuildManifests(data),
        workspace: { target: 'node', store: store.name },
        lostCommits: store.damage?.commitsLost ?? 0,
        ...(isTrustedProxy && { isTrustedProxy }),
        isStopping: () => draining,
        notReadyReason: () => (draining ? 'The server is going away.' : storeProblem()),
        onRequest: (entry) => {
          traces.request(entry, clock.now())
          log(entry.status >= 500 ? 'warn' : 'info', 'request', { ...entry })
        },
        callerAddress: (c) => (c.env as { incoming?: IncomingMessage }).incoming?.socket.remoteAddress ?? '',
      },
      httpWires,
    )
    const backlog = new Backlog(options.maxUnsentBytes)
    const fetch = async (request: Request, env: unknown) => {
      const { incoming, outgoing } = env as HttpBindings
      const answer = await app.fetch(request, env)
      closeAfterUnreadBody(incoming, outgoing)
      return sendEventStream(await compressResponse(request, answer), outgoing, backlog)
    }
    const listener = getRequestListener(fetch, { errorHandler: requestErrorResponse })
    const server = createServer(
      { ...requestTimeouts(options), IncomingMessage: OfferingRequest },
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
      // Before the port is free: the next program on it must not receive this server's token.
      publishAddress(data, null)
      clearInterval(watch)
      served.close()
      // The next start continues durable runs, so that they rest at once and do not use up the grace.
      void host.rest()
      // Runs in this process may end in time; the next start continues or reports the others. Until then the port stays open, so that
      // a balancer sees 503 from /ready, and approvals can be answered.
      for (const until = clock.now() + graceMs; host.runningCount > 0 && clock.now() < until; )
        await sleep(DRAIN_POLL_MS)
      server.close()
      lines.close()
      await host.handOver()
      await host.stop()
      changes.close()
      await sockets.close()
      server.closeAllConnections()
      await engines.close()
      await store.close()
    }
    let url: string
    try {
      url = await listen(server, port, hostname)
      await host.start()
      await engines.stopOrphans(host)
      await workspaces.removeOrphans()
      await uploads.removeOrphans(exists)
    } catch (error) {
      await close().catch(logCloseError)
      throw error
    }
    if (keepToken) publishAddress(data, url)
    if (engines.warning !== null) log('warn', engines.warning)
    const { agents } = served
    return new HarnessServer(url, close, { ...exposure, agents }, { agents, hasCockpit: cockpit !== false })
  }

  /** In production: the exposed agents, and how to expose others; null = all are exposed. */
  get exposureNote(): string | null {
    return exposureReport(this.#exposure)
  }

  /** An agent to try: scripted, else the first exposed one; null = none is exposed. */
  get openAgent(): string | null {
    return ['scripted', ...this.#exposure.agents.keys()].find((name) => isExposed(this.#exposure, name)) ?? null
  }

  /** Accepts no new work, lets runs end within `graceMs`, asks clients to reconnect, and releases the data folder. */
  close({ graceMs = 0 }: { graceMs?: number } = {}): Promise<void> {
    return this.#close(graceMs)
  }
}

interface AgentSetup {
  readonly isOpen: boolean
  readonly data: string
  readonly tenantUsage: TenantDiskUsage
  readonly uploads: StoredUploads
  readonly host: () => Host
  readonly voiceModel: Lines['modelFor']
  readonly env: NodeJS.ProcessEnv
  readonly log: Logger
}

const loadAgents = async (
  options: ServerOptions,
  { isOpen, data, tenantUsage, uploads, host, voiceModel, env, log }: AgentSetup,
) => {
  const { sandbox, engines: settings } = options
  const engines = await createEngineAgents({
    data,
    folders: { tenantUsage },
    env,
    clock,
    digest,
    uploads,
    isOpen,
    ...present({ sandbox, engines: settings }),
  })
  const builtIn = [[scriptedAgent, scriptedRunner({ clock, digest })] as const, ...engines.agents]
  try {
    const served = await loadServerAgents(
      options,
      builtIn,
      {
        ...{ clock, digest, uploads, children: hostChildSessions(host), voiceModel, env, trace: createRunTracer() },
        onFailure: options.onAgentFailure ?? ((failure) => logFailure(log, failure)),
      },
      (line) => log('warn', line),
    )
    return { engines, served }
  } catch (error) {
    await engines.close()
    throw error
  }
}

/** The stack is for the operator alone: callers get the message. A tool's error goes to the model, which may know what to do. */
const logFailure = (log: Logger, { key, runId, attempt, error, tool }: AgentFailure): void =>
  log(tool === null ? 'error' : 'warn', tool === null ? 'the agent threw' : 'a tool threw', {
    ...{ session: keyText(key), run: runId, attempt, ...(tool !== null && { tool }) },
    ...{ error: shortErrorMessage(error), stack: error instanceof Error ? error.stack : undefined },
  })

/** The runner, which also removes the uploaded files of a removed session. */
const withUploads = (runner: Runner, uploads: StoredUploads): Runner => ({
  ...runner,
  forget: async (key) => {
    await runner.forget?.(key)
    await uploads.release(key)
  },
})

/** Starts a server. The Fabric document uses this name. */
export const startDevServer = (options?: ServerOptions): Promise<HarnessServer> => HarnessServer.start(options)
