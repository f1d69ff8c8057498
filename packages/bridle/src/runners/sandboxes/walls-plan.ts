// What a runner is told about the walls around its engines, and how it builds them. A server tells the runners that it
// starts; a runner that somebody starts by hand looks for itself.
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { ENGINE_PACKAGES, installed } from '../engines/installed.ts'
import { createEgressProxy } from '../network/egress-proxy.ts'
import { type NetworkPolicy, parseNetworkPolicy } from '../network/network-policy.ts'
import type { Provider, Relay } from '../relay.ts'
import { findDelegatedCgroup } from './cgroup-delegation.ts'
import { watched } from './engine-watch.ts'
import { resolveIsolation } from './isolation.ts'
import { type ExceededLimit, parseResourceLimits, RESOURCE_LIMITS, type ResourceLimits } from './resource-limits.ts'
import { engineFolders, entryFiles } from './runner-command.ts'
import { closedFolder, sandboxUser } from './sandbox-user.ts'
import { type EngineLauncher, type PortService, startBoxed, startPlain } from './walls.ts'

const paths = v.array(v.string())
const planSchema = v.object({
  backend: v.picklist(['bubblewrap', 'process']),
  bwrap: v.optional(v.string()),
  /** For the sandbox's own /tmp and the files that name its user. */
  folder: v.string(),
  /** Shown to engines and never written by them. */
  readOnly: paths,
  /** Never shown, whatever folder contains them. */
  hidden: paths,
  network: v.optional(
    v.custom<NetworkPolicy>((value) => parseNetworkPolicy(value) !== null),
    'none',
  ),
  limits: v.optional(
    v.custom<ResourceLimits>((value) => parseResourceLimits(value) !== null),
    RESOURCE_LIMITS,
  ),
  /** A cgroup that was delegated to the server. */
  cgroup: v.optional(v.string()),
})

/** Network and limits have defaults. */
export type WallsPlan = Readonly<v.InferInput<typeof planSchema>>

/** In the environment of a runner that a server starts. */
export const PLAN_VARIABLE = 'BRIDLE_RUNNER_WALLS'

export const parsePlan = (text: string): WallsPlan => v.parse(planSchema, JSON.parse(text))

export interface Ground {
  readonly workFolder: string
  readonly stateFolder: string
  readonly relay: Relay
  readonly onExceeded: (exceeded: ExceededLimit) => void
}

/** Inside a sandbox every port is free: its network is its own. */
const RELAY_PORT = 4319
const EGRESS_PORT = 4320

/** Makes the folders that engines write, for the user that they run as, and says how an engine is started there. */
export const buildWalls = async (
  plan: WallsPlan,
  { workFolder: work, stateFolder: state, relay, onExceeded }: Ground,
): Promise<(provider: Provider) => EngineLauncher> => {
  const tmp = join(plan.folder, 'tmp')
  mkdirSync(plan.folder, { recursive: true, mode: 0o700 })
  for (const folder of [work, state, tmp]) makeFolder(folder)
  // As every /tmp is; the folder around it is closed.
  chmodSync(tmp, 0o1777)
  const { network = 'none', limits = RESOURCE_LIMITS, cgroup } = plan
  const watch = { folders: [work, state, tmp], limits, cgroup, onExceeded }
  if (plan.backend === 'process') {
    checkReach([work, state, ...plan.readOnly])
    const port = await relay.listen()
    const start = watched(startPlain, watch)
    return (provider) => ({ start, baseUrl: relay.baseUrl(provider, port) })
  }
  const readOnly = [...entryFiles(), ...plan.readOnly].filter((path) => existsSync(path))
  const hidden = plan.hidden.filter((path) => existsSync(path))
  const view = { work, state, tmp, folder: plan.folder, readOnly, hidden, sharesNetwork: network === 'host' }
  const ports = new Map<number, PortService>()
  if (network !== 'host') ports.set(RELAY_PORT, (listener) => relay.serve(listener))
  if (typeof network === 'object') {
    const proxy = createEgressProxy({ policy: network })
    ports.set(EGRESS_PORT, (listener) => proxy.serve(listener))
  }
  const env = { ...GIT, ...(ports.has(EGRESS_PORT) && proxied) }
  const start = watched(startBoxed({ bwrap: plan.bwrap, view, ports, env }), watch)
  const port = network === 'host' ? await relay.listen() : RELAY_PORT
  return (provider) => ({ start, baseUrl: relay.baseUrl(provider, port) })
}

/** Programs differ in the spelling that they look for. The relay is on loopback, which no proxy reaches. */
const EGRESS_URL = `http://127.0.0.1:${EGRESS_PORT}`
const proxied = {
  HTTP_PROXY: EGRESS_URL,
  HTTPS_PROXY: EGRESS_URL,
  http_proxy: EGRESS_URL,
  https_proxy: EGRESS_URL,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
}

/** A worktree's repository belongs to the server's user, who may be another one; git would refuse to read it. */
const GIT = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' }

/** The plan of a runner that somebody starts by hand. Rejects with a sentence where it may start no engine. */
export const planByHand = async (
  env: NodeJS.ProcessEnv,
  workFolder: string,
  privateFolder: string,
): Promise<WallsPlan> => {
  const network = networkOf(env.BRIDLE_SANDBOX_NETWORK)
  const { isContained } = await resolveIsolation({ backend: env.BRIDLE_SANDBOX, network })
  const cgroup = findDelegatedCgroup()
  const roots = ENGINE_PACKAGES.map((name) => installed(name, env)?.root).filter((root) => root !== undefined)
  return {
    backend: isContained ? 'bubblewrap' : 'process',
    folder: privateFolder,
    readOnly: [...new Set(roots.flatMap(engineFolders))],
    // A server that was started in the same folder keeps its data there.
    hidden: [privateFolder, join(workFolder, '.bridle')],
    network,
    ...(cgroup !== null && { cgroup }),
  }
}

/** As a variable says it: `none`, `host`, or host names with commas. */
export const networkOf = (text: string | undefined): NetworkPolicy =>
  parseNetworkPolicy(!text || text === 'none' || text === 'host' ? text || undefined : { allow: text.split(/[\s,]+/) })

/** Without walls to look through, root's own folders are closed to the user that its engines are. */
const checkReach = (paths: readonly string[]): void => {
  const user = sandboxUser()
  const closed = user && paths.map(closedFolder).find((folder) => folder !== null)
  if (user && closed)
    throw new Error(
      `Started by root, engines run as user ${user.uid}, who cannot enter ${closed}. Run as an ordinary user, or use folders that others can enter.`,
    )
}

/** A folder that is there already stays whose it is: somebody chose it. */
const makeFolder = (folder: string): void => {
  const user = sandboxUser()
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined && user) chownSync(folder, user.uid, user.gid)
}
