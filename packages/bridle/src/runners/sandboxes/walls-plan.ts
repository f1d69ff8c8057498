// What a runner is told about the walls around its engines, and how it builds them. A server tells the runners that it
// starts; a runner that somebody starts by hand looks for itself.
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { ENGINE_PACKAGES, installed } from '../engines/installed.ts'
import type { Provider, Relay } from '../relay.ts'
import { resolveIsolation } from './isolation.ts'
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
})

export type WallsPlan = Readonly<v.InferOutput<typeof planSchema>>

/** In the environment of a runner that a server starts. */
export const PLAN_VARIABLE = 'BRIDLE_RUNNER_WALLS'

export const parsePlan = (text: string): WallsPlan => v.parse(planSchema, JSON.parse(text))

export interface Ground {
  readonly workFolder: string
  readonly stateFolder: string
  readonly relay: Relay
}

/** Inside a sandbox every port is free: its network is its own. */
const RELAY_PORT = 4319

/** Makes the folders that engines write, for the user that they run as, and says how an engine is started there. */
export const buildWalls = async (
  plan: WallsPlan,
  { workFolder: work, stateFolder: state, relay }: Ground,
): Promise<(provider: Provider) => EngineLauncher> => {
  const tmp = join(plan.folder, 'tmp')
  mkdirSync(plan.folder, { recursive: true, mode: 0o700 })
  for (const folder of [work, state, tmp]) makeFolder(folder)
  // As every /tmp is; the folder around it is closed.
  chmodSync(tmp, 0o1777)
  if (plan.backend === 'process') {
    checkReach([work, state, ...plan.readOnly])
    const port = await relay.listen()
    return (provider) => ({ start: startPlain, baseUrl: relay.baseUrl(provider, port) })
  }
  const readOnly = [...entryFiles(), ...plan.readOnly].filter((path) => existsSync(path))
  const ports = new Map<number, PortService>([[RELAY_PORT, (listener) => relay.serve(listener)]])
  const hidden = plan.hidden.filter((path) => existsSync(path))
  const view = { work, state, tmp, folder: plan.folder, readOnly, hidden }
  const start = startBoxed({ bwrap: plan.bwrap, view, ports, env: {} })
  return (provider) => ({ start, baseUrl: relay.baseUrl(provider, RELAY_PORT) })
}

/** The plan of a runner that somebody starts by hand. Rejects with a sentence where it may start no engine. */
export const planByHand = async (
  env: NodeJS.ProcessEnv,
  workFolder: string,
  privateFolder: string,
): Promise<WallsPlan> => {
  const { isContained } = await resolveIsolation(env.BRIDLE_SANDBOX)
  const roots = ENGINE_PACKAGES.map((name) => installed(name, env)?.root).filter((root) => root !== undefined)
  return {
    backend: isContained ? 'bubblewrap' : 'process',
    folder: privateFolder,
    readOnly: [...new Set(roots.flatMap(engineFolders))],
    // A server that was started in the same folder keeps its data there.
    hidden: [privateFolder, join(workFolder, '.bridle')],
  }
}

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
