// Prepares the isolation of engines from its plan when the first engine starts, and returns how engines are started inside.
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tryOr } from '@bridle/kernel/try-or'
import { reuseResult } from '../../calls/reusable-result.ts'
import type { ProviderName } from '../../credentials/providers.ts'
import type { EngineOptions } from '../../engines/engine.ts'
import { createEgressProxy, type EgressProxy } from '../../network/egress-proxy.ts'
import type { Relay } from '../../server/relay.ts'
import { holdProtection } from '../protection/held-protection.ts'
import { withResourceWatch } from '../resources/engine-watch.ts'
import { type ExceededLimit, RESOURCE_LIMITS } from '../resources/resource-limits.ts'
import { containedStarter, type EngineLauncher, type PortService, startUncontained } from './engine-start.ts'
import type { IsolationPlan } from './isolation-plan.ts'
import { entryFiles } from './runner-command.ts'
import { accessProblem, sandboxUser } from './sandbox-user.ts'

export interface EngineIsolationOptions extends Pick<EngineOptions, 'workFolder' | 'stateFolder' | 'filesFolder'> {
  readonly plan: () => Promise<IsolationPlan>
  readonly relay: Relay
  readonly onExceeded: (exceeded: ExceededLimit) => void
}

/** A launcher that also makes the addresses of MCP servers behind the relay. */
export interface RelayLauncher extends EngineLauncher {
  readonly mcpUrl: (runPart: string, server: string) => string
}

export interface EngineIsolation {
  /** Rejects with a sentence where no engine can be started. */
  launcher(provider: ProviderName): Promise<RelayLauncher>
  /** Ends the connections that engines have to the hosts they may reach. */
  close(): Promise<void>
}

export const createEngineIsolation = (options: EngineIsolationOptions): EngineIsolation => {
  const proxies = new Set<EgressProxy>()
  // A missing program may be installed while the runner runs.
  const build = reuseResult(async () => buildLauncher(await options.plan(), options, proxies))
  return {
    launcher: async (provider) => (await build())(provider),
    close: async () => {
      await Promise.all([...proxies].map((proxy) => proxy.close()))
    },
  }
}

/** Every port is free inside a sandbox, which has a separate network. */
const RELAY_PORT = 4319
const EGRESS_PORT = 4320

/** Makes the folders that engines write, for the user that they run as. */
const buildLauncher = async (
  plan: IsolationPlan,
  { workFolder: work, stateFolder: state, filesFolder: files, relay, onExceeded }: EngineIsolationOptions,
  proxies: Set<EgressProxy>,
): Promise<(provider: ProviderName) => RelayLauncher> => {
  const tmp = join(plan.folder, 'tmp')
  mkdirSync(plan.folder, { recursive: true, mode: 0o700 })
  for (const folder of [work, state, tmp]) makeFolder(folder)
  // Before the first engine starts: a sandbox shows the folders that are there, and what comes into them later.
  if (files) makeFilesFolder(files)
  // The usual mode of /tmp; other users cannot enter the folder around it.
  chmodSync(tmp, 0o1777)
  const { network = 'none', limits = RESOURCE_LIMITS, cgroup } = plan
  const watch = { folders: plan.isInPlace ? [state, tmp] : [work, state, tmp], limits, cgroup, onExceeded }
  if (plan.backend === 'process') {
    const problem = accessProblem([work, state, ...plan.readOnly])
    if (problem !== null) throw new Error(problem)
    const port = await relay.listen()
    const start = withResourceWatch(startUncontained, watch)
    return launchers(start, relay, port)
  }
  const readOnly = [...entryFiles(), ...plan.readOnly, ...(files ? [files] : [])].filter((path) => existsSync(path))
  const hidden = plan.hidden.filter((path) => existsSync(path))
  const view = { work, state, tmp, folder: plan.folder, readOnly, hidden, sharesNetwork: network === 'host' }
  const ports = new Map<number, PortService>()
  if (network !== 'host') ports.set(RELAY_PORT, (listener) => relay.serve(listener))
  if (typeof network === 'object') {
    const proxy = createEgressProxy({ policy: network })
    proxies.add(proxy)
    ports.set(EGRESS_PORT, (listener) => proxy.serve(listener))
  }
  const programs = plan.programs ?? join(plan.folder, 'programs')
  const env = { ...GIT_VARIABLES, ...(ports.has(EGRESS_PORT) && PROXY_VARIABLES) }
  const { projects = [], leases } = plan
  const protect = plan.isInPlace && leases ? () => holdProtection(work, { projects, leases }) : undefined
  const start = withResourceWatch(containedStarter({ bwrap: plan.bwrap, view, ports, env, programs, protect }), {
    ...watch,
    isContained: true,
  })
  const port = network === 'host' ? await relay.listen() : RELAY_PORT
  return launchers(start, relay, port)
}

const launchers =
  (start: EngineLauncher['start'], relay: Relay, port: number) =>
  (provider: ProviderName): RelayLauncher => ({
    start,
    baseUrl: relay.baseUrl(provider, port),
    mcpUrl: (runPart, server) => relay.mcpUrl(runPart, server, port),
  })

/** Programs differ in the spelling that they look for. The relay is on loopback, which no proxy reaches. */
const EGRESS_URL = `http://127.0.0.1:${EGRESS_PORT}`
const PROXY_VARIABLES = {
  HTTP_PROXY: EGRESS_URL,
  HTTPS_PROXY: EGRESS_URL,
  http_proxy: EGRESS_URL,
  https_proxy: EGRESS_URL,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}

/** A worktree's repository belongs to the server's user, who may be another one; git would refuse to read it. */
const GIT_VARIABLES = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }

/** Where it cannot be made, runs without files still work; a file that comes is refused with the reason. */
const makeFilesFolder = (folder: string): void =>
  void tryOr(null, () => mkdirSync(folder, { recursive: true, mode: 0o755 }))

/** An existing folder keeps its owner: an operator chose it. */
const makeFolder = (folder: string): void => {
  const user = sandboxUser()
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined && user) chownSync(folder, user.uid, user.gid)
}
