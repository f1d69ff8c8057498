// The production gate. There an agent is open if it declares a webhook trigger or the operator names it; every door asks here.

import type { AgentInfo } from '../../../kernel/agent-info.ts'
import { engineOf, NATIVE_ENGINE } from '../agent-engine.ts'
import { Denial } from '../router/denial.ts'

export interface ExposureEnv {
  readonly FABRIC_MODE?: string | undefined
  readonly FABRIC_ENV?: string | undefined
  readonly NODE_ENV?: string | undefined
  /** Agents that the operator opens, with commas between. */
  readonly BRIDLE_EXPOSE?: string | undefined
  readonly BRIDLE_AGENT?: string | undefined
}

export interface Exposure {
  /** Every agent is open; else those that declare a trigger, and those named here. */
  readonly exposeAll: boolean
  readonly expose?: readonly string[]
  /** The agent that the operator chose for `/ws`, which is open there. */
  readonly socketAgent?: string
}

/** Whether every registered agent is exposed. */
export const exposesAll = ({ FABRIC_MODE, FABRIC_ENV, NODE_ENV }: ExposureEnv): boolean =>
  FABRIC_MODE === 'local' || FABRIC_MODE === 'dev' || (FABRIC_ENV !== 'production' && NODE_ENV !== 'production')

/** The names in the options and those in the environment both count. */
export const exposureOf = (env: ExposureEnv, named: readonly string[] = []): Exposure => ({
  exposeAll: exposesAll(env),
  expose: [...named, ...(env.BRIDLE_EXPOSE ?? '').split(',').map((name) => name.trim())].filter((name) => name !== ''),
  ...(env.BRIDLE_AGENT && { socketAgent: env.BRIDLE_AGENT }),
})

export interface ExposurePolicy extends Exposure {
  readonly agents: ReadonlyMap<string, Pick<AgentInfo, 'webhook' | 'engine' | 'runnerKind'>>
}

export const isExposed = ({ exposeAll, expose = [], agents }: ExposurePolicy, name: string): boolean =>
  exposeAll || expose.includes(name) || agents.get(name)?.webhook === true

/** The refusal of a private agent, with the words that open it; null = it is open. */
export const refusePrivateAgent = (gate: ExposurePolicy, name: string, door: 'http' | 'ws' = 'http'): Denial | null => {
  if (isExposed(gate, name) || (door === 'ws' && gate.socketAgent === name)) return null
  const forSocket = door === 'ws' ? `, or BRIDLE_AGENT=${name} for /ws alone` : ''
  return new Denial(
    'forbidden',
    `In production the agent "${name}" is private. To open it, ${exposeAdvice(gate, name)}${forSocket}.`,
  )
}

/** The words that open an agent. An engine has no file to declare a trigger in. */
const exposeAdvice = ({ agents }: ExposurePolicy, name: string): string =>
  engineOf(agents, name).engine === NATIVE_ENGINE
    ? `declare triggers: { webhook: true } in it or add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=${name})`
    : `add it to BRIDLE_EXPOSE (BRIDLE_EXPOSE=${name})`

/** Lines for the start of a server: which agents are open, and how to open the others. Null = all are. */
export const exposureReport = (gate: ExposurePolicy): string | null => {
  if (gate.exposeAll) return null
  const names = [...gate.agents.keys()]
  const open = names.filter((name) => isExposed(gate, name))
  const closed = names.filter((name) => !isExposed(gate, name))
  const unknown = (gate.expose ?? []).filter((name) => !gate.agents.has(name))
  const { socketAgent } = gate
  return [
    `Production mode. Open agents: ${open.join(', ') || 'none'}.`,
    ...(socketAgent && closed.includes(socketAgent) ? [`Open on /ws alone, by BRIDLE_AGENT: ${socketAgent}.`] : []),
    ...closed.map((name) => `Private: ${name}. To open it, ${exposeAdvice(gate, name)}.`),
    ...unknown.map((name) => `BRIDLE_EXPOSE names ${name}, but there is no such agent.`),
  ].join('\n')
}
