// In production, an agent is open only if it declares a webhook trigger or the operator exposes it.

import type { AgentInfo } from '@bridle/kernel/agent-info'
import { nearestName } from '@bridle/kernel/text/nearest-name'
import { Denial } from '../denials/denial.ts'
import { engineOf, NATIVE_ENGINE } from './agent-engine.ts'
import type { Access } from './authenticate.ts'

export interface ExposureEnv {
  readonly FABRIC_MODE?: string | undefined
  readonly FABRIC_ENV?: string | undefined
  readonly NODE_ENV?: string | undefined
  /** Comma-separated. */
  readonly BRIDLE_EXPOSE?: string | undefined
  readonly BRIDLE_AGENT?: string | undefined
}

export interface Exposure {
  /** Otherwise only agents that declare a trigger, or that `expose` names. */
  readonly exposeAll: boolean
  readonly expose?: readonly string[]
  /** The operator's agent for `/ws`, open on that socket. */
  readonly socketAgent?: string
}

export const exposesAll = ({ FABRIC_MODE, FABRIC_ENV, NODE_ENV }: ExposureEnv): boolean =>
  FABRIC_MODE === 'local' || FABRIC_MODE === 'dev' || (FABRIC_ENV !== 'production' && NODE_ENV !== 'production')

export const exposureOf = (env: ExposureEnv, named: readonly string[] = []): Exposure => ({
  exposeAll: exposesAll(env),
  expose: [...named, ...(env.BRIDLE_EXPOSE ?? '').split(',').map((name) => name.trim())].filter((name) => name !== ''),
  ...(env.BRIDLE_AGENT && { socketAgent: env.BRIDLE_AGENT }),
})

export interface ExposurePolicy extends Exposure {
  readonly agents: ReadonlyMap<
    string,
    Pick<AgentInfo, 'webhook' | 'engine' | 'runnerKind' | 'isDefault'> & Partial<Pick<AgentInfo, 'needs'>>
  >
}

export const isExposed = (policy: ExposurePolicy, name: string): boolean => {
  const { exposeAll, expose = [], agents } = policy
  if (exposeAll || expose.includes(name) || agents.get(name)?.webhook === true) return true
  // A child agent is as open as its parent: `editor.sender` belongs to `editor`.
  const end = agents.has(name) ? -1 : name.lastIndexOf('.')
  return end > 0 && isExposed(policy, name.slice(0, end))
}

export interface ExposureCall {
  readonly access: Pick<Access, 'scopes' | 'sessionId'>
  readonly ports: ExposurePolicy
}

/** As for `GET /agents`: a ticket for one session lists nothing. */
export const mayListAgents = ({ scopes, sessionId }: ExposureCall['access']): boolean =>
  scopes.includes('observe') && sessionId === null

export const refusePrivateAgent = (
  { access, ports }: ExposureCall,
  name: string,
  wire: 'http' | 'ws' = 'http',
): Denial | null => {
  if (isExposed(ports, name) || (wire === 'ws' && ports.socketAgent === name)) return null
  const forSocket = wire === 'ws' ? `, or BRIDLE_AGENT=${name} for /ws alone` : ''
  const advice = exposeAdvice(ports, name, mayListAgents(access))
  return new Denial('forbidden', `In production the agent "${name}" is private. To open it, ${advice}${forSocket}.`)
}

/**
 * The setting repeats `expose`, because copying it must not close those agents. Callers who may not list agents do not see it.
 */
const exposeAdvice = (policy: ExposurePolicy, name: string, withNames: boolean): string => {
  const { agents } = policy
  const expose = (policy.expose ?? []).filter((each) => isKnown(policy, each))
  const setting = `add it to BRIDLE_EXPOSE${withNames ? ` (BRIDLE_EXPOSE=${[...expose, name].join(',')})` : ''}`
  const hasFile = engineOf(agents, name).engine === NATIVE_ENGINE && !agents.get(name)?.isDefault
  return hasFile ? `declare triggers: { webhook: true } in it or ${setting}` : setting
}

const isKnown = (policy: ExposurePolicy, name: string): boolean =>
  policy.agents.has(name) || (name.includes('.') && isKnown(policy, name.slice(0, name.lastIndexOf('.'))))

/** Suggests the setting for the first agent only, because one that names all would open all. */
const privateLines = (policy: ExposurePolicy, names: readonly string[]): string[] => {
  const [first] = names
  if (first === undefined) return []
  const one = names.length === 1 ? 'it' : `one, for example ${first}`
  return [`Private: ${names.join(', ')}. To open ${one}, ${exposeAdvice(policy, first, true)}.`]
}

const unknownLine = (policy: ExposurePolicy, name: string): string => {
  const near = nearestName(name, [...policy.agents.keys()])
  return `BRIDLE_EXPOSE names ${name}, and there is no such agent.${near === null ? '' : ` Did you mean ${near}?`}`
}

/** Printed at start; null if all agents are open. */
export const exposureReport = (policy: ExposurePolicy): string | null => {
  if (policy.exposeAll) return null
  const names = [...policy.agents.keys()]
  const open = names.filter((name) => isExposed(policy, name))
  const closed = names.filter((name) => !isExposed(policy, name))
  const unknown = (policy.expose ?? []).filter((name) => !isKnown(policy, name))
  const isAvailable = (name: string) => !policy.agents.get(name)?.needs
  const { socketAgent } = policy
  return [
    `Production mode. Open agents: ${open.join(', ') || 'none'}.`,
    ...(socketAgent && closed.includes(socketAgent) ? [`Open on /ws alone, by BRIDLE_AGENT: ${socketAgent}.`] : []),
    ...unknown.map((name) => unknownLine(policy, name)),
    ...privateLines(policy, closed.filter(isAvailable)),
  ].join('\n')
}
