// The plan for isolating engines. A server writes it for its runners; a runner that is started by hand makes its own.
import { join } from 'node:path'
import * as v from 'valibot'
import { ENGINE_PACKAGES, findPackage } from '../../engine-table/engine-packages.ts'
import { type NetworkPolicy, parseNetworkPolicy } from '../../network/network-policy.ts'
import { findDelegatedCgroup } from '../resources/cgroup-delegation.ts'
import { parseResourceLimits, RESOURCE_LIMITS, type ResourceLimits } from '../resources/resource-limits.ts'
import { resolveIsolation } from './isolation.ts'
import { engineFolders } from './runner-command.ts'

const paths = v.array(v.string())
const planSchema = v.object({
  backend: v.picklist(['bubblewrap', 'process']),
  bwrap: v.optional(v.string()),
  /** For the sandbox's own /tmp and the files that name its user. */
  folder: v.string(),
  /** For copies of the engines' programs, which all sessions share. Default: in `folder`. */
  programs: v.optional(v.string()),
  /** Shown to engines and never written by them. */
  readOnly: paths,
  /** Hidden from engines, also inside folders that they may read. */
  hidden: paths,
  network: v.optional(
    v.custom<NetworkPolicy>((value) => parseNetworkPolicy(value) !== null),
    'none',
  ),
  limits: v.optional(
    v.custom<ResourceLimits>((value) => parseResourceLimits(value) !== null),
    RESOURCE_LIMITS,
  ),
  /** The work folder is its user's own: its size is not the sandbox's. */
  isInPlace: v.optional(v.boolean()),
  /** In place: the projects of the server, and where placeholders are noted. */
  projects: v.optional(v.array(v.object({ root: v.string(), agents: paths }))),
  leases: v.optional(v.string()),
  /** A cgroup that was delegated to the server. */
  cgroup: v.optional(v.string()),
})

/** Network and limits have defaults. */
export type IsolationPlan = Readonly<v.InferInput<typeof planSchema>>

export const PLAN_VARIABLE = 'BRIDLE_RUNNER_WALLS'

export const parseIsolationPlan = (text: string): IsolationPlan => v.parse(planSchema, JSON.parse(text))

/** The plan of a runner that somebody starts by hand. Rejects with a sentence where it may start no engine. */
export const defaultIsolationPlan = async (
  env: NodeJS.ProcessEnv,
  workFolder: string,
  privateFolder: string,
): Promise<IsolationPlan> => {
  const network = parseNetworkVariable(env.BRIDLE_SANDBOX_NETWORK)
  const { isContained } = await resolveIsolation({ backend: env.BRIDLE_SANDBOX, network })
  const cgroup = findDelegatedCgroup()
  const roots = ENGINE_PACKAGES.map((name) => findPackage(name, env)?.root).filter((root) => root !== undefined)
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

/** The value of the variable: `none`, `host`, or host names separated by commas. */
export const parseNetworkVariable = (text: string | undefined): NetworkPolicy =>
  parseNetworkPolicy(!text || text === 'none' || text === 'host' ? text || undefined : { allow: text.split(/[\s,]+/) })
