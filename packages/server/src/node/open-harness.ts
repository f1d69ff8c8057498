// Wires all parts of a harness on Node. Both a server and an embedding app serve it, so nothing here knows of a port.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '@bridle/events/json'
import type { AgentInfo } from '@bridle/kernel/agent-info'
import { type Key, keyText } from '@bridle/kernel/event'
import { Host } from '@bridle/kernel/host/host'
import type { Runner } from '@bridle/kernel/ports/runner'
import { TenantDiskUsage } from '@bridle/runners/sandboxes/folders/tenant-disk-usage'
import { sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { sweepPlaceholders } from '@bridle/runners/sandboxes/protection/placeholders'
import { leasesOf, registerProject } from '@bridle/runners/sandboxes/protection/server-projects'
import { serverSecret } from '@bridle/runners/secrets/server-secret'
import { StoredUploads } from '@bridle/stores/uploads/stored-uploads'
import { memoryUploadFolder, uploadFolder } from '@bridle/stores/uploads/upload-folder'
import { socketWires } from '@bridle/surfaces/all'
import type { App } from '@bridle/surfaces/app'
import { ChangeFeed } from '@bridle/surfaces/changes/change-feed'
import { engineOf } from '@bridle/surfaces/http/access/agent-engine'
import type { ExposurePolicy } from '@bridle/surfaces/http/access/exposure'
import { messageOf, ServerFault } from '@bridle/system/server-fault'
import { clock, digest, eventLoop, threadCpuMs } from '@bridle/system/system-ports'
import { connectProvider } from '@bridle/voice/node/provider-socket'
import { runUpdates } from '../agents/run-updates.ts'
import { forgetTrustedFiles, trustedFiles } from '../agents/trust/trusted-files.ts'
import { checkVoiceSettings, composeApp } from '../compose-app.ts'
import { Backlog } from './backlog.ts'
import { withBasePath } from './base-path.ts'
import { listBuildManifests } from './build-manifests.ts'
import { ensureLocalToken, withdrawAddress } from './credentials/local-token.ts'
import { personalLoginProblem } from './credentials/personal-login.ts'
import { fileFetcherOf } from './file-fetching.ts'
import { builtCockpit, projectFiles } from './http/app-files.ts'
import { proxyFilter } from './http/trusted-proxies.ts'
import { loadAgents } from './load-agents.ts'
import { type Logger, requestLevel, standardLogger } from './logger.ts'
import { loadOpenTelemetry, tracingProblem, tracingState } from './open-telemetry.ts'
import { createRunMetrics, processMetrics } from './run-metrics.ts'
import type { ServerOptions } from './server-options.ts'
import { buildFolders, guardFiles, noSandboxReason, serverProjects, withWriters } from './server-project.ts'
import { openServerStore } from './server-store.ts'
import { createSocketServer, type SocketServer } from './sockets/server-sockets.ts'
import { watchStoreHealth } from './store-health.ts'
import { createTracing } from './tracing.ts'
import { checkVariables } from './variable-problems.ts'
import { NodeWorkspaceFiles } from './workspaces/workspace-files.ts'
import { folderAccess } from './workspaces/workspace-sources.ts'
import { NodeWorkspaces } from './workspaces/workspaces.ts'

/** Detects a store that cannot be written even without requests. */
const STORE_CHECK_MS = 1_000
/** A local folder opens faster; a remote store may not answer at all. */
export const STORE_OPENING_MS = 10_000
/** Poll interval while shutdown waits for runs. */
const DRAIN_POLL_MS = 20

export interface NodeBindings {
  readonly incoming?: IncomingMessage
  readonly outgoing?: ServerResponse
}

/** Nothing runs before `start`. */
export interface OpenHarness {
  readonly app: App
  readonly backlog: Backlog
  readonly sockets: SocketServer
  readonly exposure: ExposurePolicy
  /** Current agents by name. */
  readonly agents: ReadonlyMap<string, AgentInfo>
  /** True if no credential is required, so only local programs and pages may be admitted. */
  readonly isOpen: boolean
  /** True if a web app is served at `/`. */
  readonly hasCockpit: boolean
  readonly log: Logger
  start(): Promise<void>
  /** Refuses new work and lets runs finish within the grace period. Requests are still answered. */
  drain(graceMs: number, onWait?: (runs: number) => void): Promise<void>
  /** Stops the sessions and asks all clients to reconnect. */
  leave(): Promise<void>
  release(): Promise<void>
  /** Undoes a failed start with all three. Errors are logged. */
  abandon(): Promise<void>
}

export interface ServingPlace {
  /** Null if an app serves the harness, on addresses unknown here. */
  readonly hostname: string | null
  readonly basePath: string
}

export const openHarness = async (
  options: ServerOptions,
  { hostname, basePath }: ServingPlace,
): Promise<OpenHarness> => {
  const { data = '.bridle', env = process.env, keepToken = false } = options
  const authToken = options.authToken ?? (options.authTokenEnv === undefined ? undefined : env[options.authTokenEnv])
  if (options.authTokenEnv !== undefined && !authToken)
    throw new ServerFault('token_missing', `${options.authTokenEnv} holds no token.`)
  const isOpen = isOpenServer(options, authToken)
  const tenantRequired = options.tenantRequired ?? env.FABRIC_HARNESS_TENANT_REQUIRED === '1'
  const log = options.log ?? standardLogger(env, clock.now)
  const telemetry = await loadOpenTelemetry()
  const noSpans = tracingProblem(tracingState(telemetry))
  if (noSpans !== null) log('warn', noSpans)
  const traces = createTracing(telemetry)
  const runMetrics = createRunMetrics()
  let draining = false
  // Validate settings before anything is opened.
  checkVariables(env)
  const owner = sandboxUser(env)
  const isTrustedProxy = proxyFilter(options.trustedProxies, env)
  const fileFetcher = fileFetcherOf(options.openharness)
  checkVoiceSettings(env)
  // Not `unref`: the timer keeps the process alive while a store waits on something that does not.
  const opening = setInterval(() => log('warn', 'the store is still opening', { data }), STORE_OPENING_MS)
  const store = await openServerStore(options.store ?? 'sqlite', data).finally(() => clearInterval(opening))
  if (store.damage) log('error', 'acknowledged commits are missing', { ...store.damage })
  const { maxTenantBytes } = options.workspaces ?? {}
  const tenantUsage = new TenantDiskUsage(data, maxTenantBytes === undefined ? {} : { max: maxTenantBytes })
  const trust = trustedFiles(data)
  const onInPlace = (work: string) => trust.begin(work)
  let endGuard = () => {}
  const prepare = async () => {
    withdrawAddress(data)
    const kept = keepToken ? [ensureLocalToken(data)] : []
    const ownerToken = options.ownerToken ?? kept[0] ?? null
    const own = new Set([...kept, ...(ownerToken === null ? [] : [ownerToken])])
    const tokens = [...(options.tokens ?? []), ...[...own].map((token) => ({ token }))]
    const folder = store.name === 'memory' ? memoryUploadFolder() : uploadFolder(join(resolve(data), 'files'))
    const uploads = await StoredUploads.open(folder, clock.now)
    const loginRefusal = personalLoginProblem({
      ...options,
      hostname: hostname ?? 'the addresses of an app',
      tenantRequired,
      isProxied: isTrustedProxy !== null,
    })
    endGuard = guardFiles(trust, options, serverProjects(options))
    const agents = await loadAgents(options, {
      ...{ isOpen, loginRefusal, data, folders: { tenantUsage }, uploads, env, log, telemetry, onInPlace },
      host: () => host,
      voiceModel: (key) => lines.modelFor(key),
    })
    return { ownerToken, tokens, uploads, ...agents }
  }
  // The start error says what to fix, so an error while closing the store is only logged.
  const logCloseError = (cause: unknown) =>
    log('error', 'the store could not be closed', { data, cause: messageOf(cause) })
  const { engines, served, tokens, ownerToken, uploads } = await prepare().catch(async (error) => {
    endGuard()
    forgetTrustedFiles(data)
    await store.close().catch(logCloseError)
    throw error
  })
  const exists = async (key: Key) => (await host.find(key).catch(() => key)) !== null
  const workspaces = new NodeWorkspaces({
    data,
    workspaces: options.workspaces,
    exists,
    reachOf: folderAccess({ ...options, hostname: hostname ?? '', isOpen, tenantRequired, ownerToken }),
    tenantUsage,
    noSandbox: () => noSandboxReason(options, env),
    ...(owner && { owner }),
  })
  const projects = serverProjects(options).map(registerProject)
  // Reload at once after a file is confirmed, if files are watched.
  const endTrust = trust.listen((change) => 'accepted' in change && served.reload())
  const changes = new ChangeFeed({ clock, identityOf: (agent) => engineOf(served.agents, agent) })
  const readRuns = options.onRun && runUpdates(options.onRun)
  const host = new Host({
    log: store.log,
    directory: store.directory,
    clock,
    digest,
    eventLoop,
    rows: changes,
    runner: (agent) => workspaces.wrapRunner(withUploads(withWriters(served.runnerOf(agent), onInPlace), uploads)),
    ...present({ tokenPaceMs: options.tokenPaceMs, memory: options.memory }),
    // The loop of a model agent creates its own spans.
    onCommit: (key, events) => {
      readRuns?.(key, events)
      runMetrics.events(key, events)
      if (!served.hasModel(key.agent)) traces.events(key, events)
    },
    onFault: (key, cause) =>
      log('error', key ? 'session stopped' : 'due sessions could not be looked for', {
        ...(key && { session: keyText(key) }),
        cause: messageOf(cause),
      }),
  })
  const cockpit = options.cockpit ?? builtCockpit()
  const storeProblem = watchStoreHealth(store, resolve(data), log)
  const watch = setInterval(storeProblem, STORE_CHECK_MS).unref()
  const { app, lines, exposure } = composeApp({
    ...options,
    ...present({ authToken }),
    ...{ env, options, host, clock, tokens, tenantRequired, workspaces, uploads, changes },
    ...{ lineClock: clock, connect: connectProvider, hasModel: served.hasModel },
    directory: store.directory,
    agents: served.agents,
    cpuMs: threadCpuMs,
    workspaceFiles: new NodeWorkspaceFiles(data),
    ...(cockpit !== false && { files: typeof cockpit === 'string' ? projectFiles(cockpit) : cockpit }),
    ...(fileFetcher && { fileFetcher }),
    signingSecret: async () => serverSecret(data, env),
    builds: () => listBuildManifests(buildFolders(options)),
    workspace: { target: 'node', store: store.name },
    lostCommits: store.damage?.commitsLost ?? 0,
    metrics: () => [...runMetrics.metrics(), ...processMetrics()],
    ...(isTrustedProxy && { isTrustedProxy }),
    isStopping: () => draining,
    notReadyReason: () => (draining ? 'The server is going away.' : storeProblem()),
    onRequest: (entry) => {
      traces.request(entry, clock.now())
      const url = withBasePath(entry.url, basePath)
      log(requestLevel(entry), 'request', { ...entry, url })
    },
    callerAddress: (c) => (c.env as NodeBindings).incoming?.socket.remoteAddress ?? '',
    httpVersion: (c) => (c.env as NodeBindings).incoming?.httpVersion,
  })
  const backlog = new Backlog(options.maxUnsentBytes)
  const sockets = createSocketServer(app, socketWires, backlog, options)
  const drain = async (graceMs: number, onWait?: (runs: number) => void) => {
    draining = true
    // Before the port is freed: the next program on it must not receive this server's token.
    withdrawAddress(data)
    clearInterval(watch)
    served.close()
    // The next start resumes durable runs, so they rest now instead of using up the grace period.
    void host.rest()
    // The port stays open while runs finish, so that load balancers see 503 from /ready and approvals can be answered.
    const until = clock.now() + graceMs
    // A durable run that rests within this time needs no message.
    if (host.runningCount > 0 && graceMs > 0) await sleep(DRAIN_POLL_MS)
    if (host.runningCount > 0 && clock.now() < until) onWait?.(host.runningCount)
    while (host.runningCount > 0 && clock.now() < until) await sleep(DRAIN_POLL_MS)
  }
  const leave = async () => {
    lines.close()
    await host.handOver()
    await engines.stopEnded(host)
    await host.stop()
    changes.close()
    await sockets.close()
  }
  const release = async () => {
    const kept = await engines.close()
    if (kept !== null) log('warn', kept)
    for (const end of [...projects, endTrust, endGuard]) end()
    forgetTrustedFiles(data)
    await store.close()
  }
  return {
    ...{ app, backlog, sockets, isOpen, log, drain, leave, release },
    exposure: { ...exposure, agents: served.agents },
    agents: served.agents,
    hasCockpit: cockpit !== false,
    start: async () => {
      sweepPlaceholders(leasesOf(resolve(data)))
      await host.start()
      await engines.stopOrphans(host)
      await workspaces.removeOrphans()
      await uploads.removeOrphans(exists)
      if (engines.warning !== null) log('warn', engines.warning)
    },
    abandon: async () => {
      await drain(0).then(leave).then(release).catch(logCloseError)
    },
  }
}

/** True if no setting requires a credential. */
export const isOpenServer = (options: ServerOptions, authToken = options.authToken): boolean =>
  authToken === undefined &&
  options.authTokenEnv === undefined &&
  !options.tokens?.length &&
  !options.extractAuthToken &&
  !options.authenticate &&
  !options.ownerToken &&
  !options.keepToken

/** Also removes the uploads of a deleted session. */
const withUploads = (runner: Runner, uploads: StoredUploads): Runner => ({
  ...runner,
  forget: async (key) => {
    await runner.forget?.(key)
    await uploads.release(key)
  },
})
