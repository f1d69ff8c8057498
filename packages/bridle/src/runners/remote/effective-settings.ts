import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Job } from '../../kernel/ports/runner.ts'
import type { EngineSettings } from '../protocol.ts'

/** The caller of a run may choose its model and lower its limits, and nothing that widens its permissions. */
export const effectiveSettings = (
  agent: EngineSettings,
  { settings: session, input }: Pick<Job, 'settings' | 'input'>,
) => {
  const request = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : {}
  const pick = (from: JsonObject, names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (isSet(from[name]) ? [[name, from[name]]] : [])))
  const chosen = { ...agent, ...pick(session, ['model', 'permission_mode']), ...pick(request, ['model']) }
  for (const name of ['max_budget_usd', 'max_turns'] as const) {
    const limits = [agent[name], session[name], request[name]].filter((limit) => typeof limit === 'number')
    if (limits.length > 0) chosen[name] = Math.min(...limits)
  }
  return chosen as EngineSettings
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null
