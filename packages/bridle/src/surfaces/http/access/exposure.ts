// The production gate. In production an agent is open if it declares a webhook trigger or the operator names it; every route
// and every socket asks here.

import type { AgentInfo } from '../../../kernel/agent-info.ts'
import { engineOf, NATIVE_ENGINE } from '../agent-engine.ts'
import { Denial } from '../router/denial.ts'

export interface ExposureEnv {
  readonly FABRIC_MODE?: string | undefined
  readonly FABRIC_ENV?: string | undefined
  readonly NODE_ENV?: string | undefined
  /** Agents that the operator opens, separated by commas. */
  readonly BRIDLE_EXPOSE?: string | undefined
  readonly BRIDLE_AGENT?: string | undefined
}

export interface Exposure {
  /** Every agent is open; else only agents that declare a trigger or that `expose` names. */
  readonly exposeAll: boolean
  readonly expose?: readonly string[]
  /** The agent that the operator chose for `/ws`; it is open on that socket. */
  readonly socketAgent?: string
}

/** Whether every registered agent is exposed. */
export const exposesAll = ({ FABRIC_MODE, FABRIC_ENV, NODE_ENV }: ExposureEnv): boolean =>
  FABRIC_MODE === 'local' || FABRIC_MODE === 'dev' || (FABRIC_ENV !== 'production' && NODE_ENV !== 'production')

/** Names from the options and from the environment both count. */
export const exposureOf = (env: ExposureEnv, named: readonly string[] = []): Exposure => ({
  exposeAll: exposesAll(env),
  expose: [...named, ...(env.BRIDLE_EXPOSE ?? '').split(',').map((name) => name.trim())].filter((name) => name !== ''),
  ...(env.BRIDLE_AGENT && { socketAgent: env.BRIDLE_AGENT }),
})

export interface ExposurePolicy extends Exposure {
  readonly agents: ReadonlyMap<string, Pick<AgentInfo, 'webhook' | 'engine' | 'runnerKind'>>
}

export const isExposed = (policy: ExposurePolicy, name: string): boolean => {
  const { exposeAll, expose = [], agents } = policy
  if (exposeAll || expose.includes(name) || agents.get(name)?.webhook === true) return true
  // An agent that only another one may ask is as open as that one: `editor.sender` belongs to `editor`.
  const end = agents.has(name) ? -1 : name.lastIndexOf('.')
  return end > 0 && isExposed(policy, name.slice(0, end))
}

/** The denial of a private agent says how to open it; null = the agent is open. */
export const refusePrivateAgent = (
  policy: ExposurePolicy,
  name: string,
  wire: 'http' | 'ws' = 'http',
): Denial | null => {
  if (isExposed(policy, name) || (wire === 'ws' && policy.socketAgent === name)) return null
  const forSocket = wire === 'ws' ? `, or BRIDLE_AGENT=${name} for /ws alone` : ''
  return new Denial(
    'forbidden',
    `In production the agent "${name}" is private. To open it, ${exposeAdvice(policy, name)}${forSocket}.`,
  )
}

/** The words that open an agent. An engine has no file to declare a trigger in. */
const exposeAdvice = ({ agents }: ExposurePolicy, name: string): string =>
  engineOf(agents, name).engine === NATIVE_ENGINE
    ? `declare triggers: { webhook: true } in it or add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=${name})`
    : `add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=${name})`

/** Lines for the start of a server: which agents are open, and how to open the others. Null = all are open. */
export const exposureReport = (policy: ExposurePolicy): string | null => {
  if (policy.exposeAll) return null
  const names = [...policy.agents.keys()]
  const open = names.filter((name) => isExposed(policy, name))
  const closed = names.filter((name) => !isExposed(policy, name))
  const unknown = (policy.expose ?? []).filter((name) => !policy.agents.has(name))
  const { socketAgent } = policy
  return [
    `Production mode. Open agents: ${open.join(', ') || 'none'}.`,
    ...(socketAgent && closed.includes(socketAgent) ? [`Open on /ws alone, by BRIDLE_AGENT: ${socketAgent}.`] : []),
    ...closed.map((name) => `Private: ${name}. To open it, ${exposeAdvice(policy, name)}.`),
    ...unknown.map((name) => `BRIDLE_EXPOSE names ${name}, but there is no such agent.`),
  ].join('\n')
}
