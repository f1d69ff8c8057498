import type { JsonObject } from '../../kernel/json.ts'
import type { Job } from '../../kernel/ports/runner.ts'
import type { EngineSettings } from '../protocol.ts'
import { stricterMode } from './permission-modes.ts'

/** The caller of a run may choose its model and lower its limits. A session may tighten the permission mode, and a request may not set one. */
export const effectiveSettings = (
  agent: EngineSettings,
  { settings: session, input }: Pick<Job, 'settings' | 'input'>,
) => {
  const request = typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as JsonObject) : {}
  const mode = stricterMode(agent.permission_mode ?? undefined, session.permission_mode)
  const chosen = {
    ...agent,
    ...chosenModel(session),
    ...chosenModel(request),
    ...(mode !== undefined && { permission_mode: mode }),
  }
  for (const name of ['max_budget_usd', 'max_turns'] as const) {
    const limits = [agent[name], session[name], request[name]].filter((limit) => typeof limit === 'number')
    if (limits.length > 0) chosen[name] = Math.min(...limits)
  }
  return chosen as EngineSettings
}

/** Only a text names a model: an input that reached the log by another way may have anything there. */
const chosenModel = ({ model }: JsonObject): { readonly model?: string } => (typeof model === 'string' ? { model } : {})

/**
 * The reason why the run may not use the model that its session or its request chose, as a sentence; null = it may. The operator's own model
 * is always allowed.
 */
export const chosenModelProblem = (
  agent: EngineSettings,
  job: Pick<Job, 'settings' | 'input'>,
  modelProblem: (model: string) => string | null,
): string | null => {
  const { model } = effectiveSettings(agent, job)
  return typeof model !== 'string' || model === agent.model ? null : modelProblem(model)
}
