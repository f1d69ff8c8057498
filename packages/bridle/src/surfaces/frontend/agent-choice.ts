// Whom a new session talks to, and with what settings.
import * as v from 'valibot'
import type { AgentInfo } from '../../kernel/agent-info.ts'
import type { JsonObject } from '../../kernel/json.ts'
import { engineOf } from '../../kernel/views/session-card.ts'
import { refusePrivateAgent } from '../http/access/exposure.ts'
import { badRequest, errorResponse } from '../http/router/errors.ts'
import type { RouteCall } from '../http/router/route.ts'

const ENGINES = ['scripted', 'native', 'claude', 'codex'] as const

export const agentFields = {
  engine: v.optional(v.picklist(ENGINES)),
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
): AgentInfo | Response => {
  const wanted = named ?? (engine === 'native' ? nativeAgent(ports) : engine) ?? ports.defaultAgent
  if (wanted instanceof Response) return wanted
  const agent = ports.agents.get(wanted)
  if (!agent) return badRequest(`body: ${named === undefined ? 'engine' : 'agent'}: There is no agent "${wanted}"`)
  const has = engineOf(agent.name).engine
  if (engine !== undefined && has !== engine) return badRequest(`body: engine: The agent "${wanted}" runs on ${has}`)
  const closed = refusePrivateAgent(ports, agent.name)
  if (closed) return closed
  if (agent.needs !== null)
    return errorResponse('unavailable', `The agent "${agent.name}" is not available: ${agent.needs}`)
  return agent
}

/** The agent written in TypeScript that the operator named as the server's own, else the only one there is. */
const nativeAgent = ({
  agents,
  defaultAgent,
}: Pick<RouteCall<unknown, unknown>['ports'], 'agents' | 'defaultAgent'>) => {
  const names = [...agents.keys()].filter((name) => engineOf(name).engine === 'native').toSorted()
  const [only, ...others] = names
  if (only === undefined)
    return badRequest('body: engine: This server has no agent of its own. Put one into its folder agents/.')
  if (names.includes(defaultAgent)) return defaultAgent
  if (others.length === 0) return only
  return badRequest(
    `body: engine: This server has several agents of its own: ${names.join(', ')}. Name one as "agent", or have the operator name one as BRIDLE_AGENT.`,
  )
}
