// Whom a new session talks to, and with what settings.
import * as v from 'valibot'
import type { AgentInfo } from '../../kernel/agent-info.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { NATIVE_ENGINE } from '../http/agent-engine.ts'
import { badRequest, Denial, isDenial } from '../http/router/denial.ts'
import type { RouteCall } from '../http/router/route.ts'

export const agentFields = {
  engine: v.optional(v.string()),
  agent: v.optional(v.string()),
}

/** Those of session_state that a caller may choose. What would let an engine act unasked is the server's to choose. */
export const settingsFields = {
  provider: v.optional(v.string()),
  model: v.optional(v.string()),
  permission_mode: v.optional(v.picklist(['normal', 'plan'])),
  approval_mode: v.optional(v.picklist(['on_request'])),
  think_level: v.optional(v.string()),
}
/** What everybody has who chooses nothing; engines have names of their own for it. */
const DEFAULT_SETTINGS: { readonly [name: string]: string } = { permission_mode: 'normal', approval_mode: 'on_request' }

export const settingsOf = (body: { readonly [name in keyof typeof settingsFields]?: string | undefined }): JsonObject =>
  Object.fromEntries(
    Object.keys(settingsFields).flatMap((name) => {
      const value = body[name as keyof typeof settingsFields]
      return value === undefined || value === DEFAULT_SETTINGS[name] ? [] : [[name, value]]
    }),
  )

/** The agent named, else the engine's own, else the server's default. */
export const chooseAgent = (
  { ports }: Pick<RouteCall<unknown, unknown>, 'ports'>,
  { engine, agent: named }: { readonly engine?: string | undefined; readonly agent?: string | undefined },
): AgentInfo | Denial => {
  const wanted = named ?? (engine === NATIVE_ENGINE ? nativeAgent(ports) : engine) ?? ports.defaultAgent
  if (isDenial(wanted)) return wanted
  const agent = ports.agents.get(wanted)
  if (!agent && wanted === engine) return badRequest(`body: engine: ${noSuchEngine(engine, ports)}`)
  if (!agent) return badRequest(`body: ${named === undefined ? 'engine' : 'agent'}: There is no agent "${wanted}"`)
  if (engine !== undefined && agent.engine !== engine)
    return badRequest(`body: engine: The agent "${wanted}" runs on ${agent.engine}`)
  const closed = refusePrivateAgent(ports, agent.name)
  if (closed) return closed
  if (agent.needs !== null)
    return new Denial('unavailable', `The agent "${agent.name}" is not available: ${agent.needs}`)
  return agent
}

const noSuchEngine = (engine: string, { agents }: Pick<RouteCall<unknown, unknown>['ports'], 'agents'>): string =>
  `There is no engine "${engine}". Name one of: ${[...new Set([...agents.values()].map((agent) => agent.engine))].join(', ')}`

/** The agent written in TypeScript that the operator named as the server's own, else the only one there is. */
const nativeAgent = ({
  agents,
  defaultAgent,
}: Pick<RouteCall<unknown, unknown>['ports'], 'agents' | 'defaultAgent'>) => {
  const names = [...agents.values()].flatMap(({ name, engine }) => (engine === NATIVE_ENGINE ? [name] : [])).toSorted()
  const [only, ...others] = names
  if (only === undefined)
    return badRequest('body: engine: This server has no agent of its own. Put one into its folder agents/.')
  if (names.includes(defaultAgent)) return defaultAgent
  if (others.length === 0) return only
  return badRequest(
    `body: engine: This server has several agents of its own: ${names.join(', ')}. Name one as "agent", or have the operator name one as BRIDLE_AGENT.`,
  )
}
