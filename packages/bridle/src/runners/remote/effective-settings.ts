import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Job } from '../../kernel/ports/runner.ts'
import type { EngineSettings } from '../protocol.ts'
import { stricterMode } from './permission-modes.ts'

/** The caller of a run may choose its model and lower its limits. A session may tighten the permission mode, and a request may not set one. */
export const effectiveSettings = (
  agent: EngineSettings,
  { settings: session, input }: Pick<Job, 'settings' | 'input'>,
) => {
  const request = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : {}
  const pick = (from: JsonObject, names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (isSet(from[name]) ? [[name, from[name]]] : [])))
  const mode = stricterMode(agent.permission_mode ?? undefined, session.permission_mode)
  const chosen = {
    ...agent,
    ...pick(session, ['model']),
    ...pick(request, ['model']),
    ...(mode !== undefined && { permission_mode: mode }),
  }
  for (const name of ['max_budget_usd', 'max_turns'] as const) {
    const limits = [agent[name], session[name], request[name]].filter((limit) => typeof limit === 'number')
    if (limits.length > 0) chosen[name] = Math.min(...limits)
  }
  return chosen as EngineSettings
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null
