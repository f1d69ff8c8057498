// The settings of a run: the operator's settings of the agent, which sessions and requests only narrow.
import { isJsonObject, type JsonObject } from '@bridle/events/json'
import type { Job } from '@bridle/kernel/ports/runner'
import type { EngineSettings, RepositoryUse } from '../protocol/protocol.ts'

/**
 * The caller of a run may choose its model and its effort, and lower its limits. A session may tighten the permission mode, and a request
 * may not set one. A session's effort is ignored if it is not in `efforts`: older sessions could store any text.
 */
export const effectiveSettings = (
  agent: EngineSettings,
  { settings: session, input }: Pick<Job, 'settings' | 'input'>,
  efforts?: readonly string[],
) => {
  const request = requestOf(input)
  const { think_level: effort } = session
  const mode = stricterMode(agent.permission_mode ?? undefined, session.permission_mode)
  const chosen = {
    ...agent,
    ...chosenModel(session),
    ...chosenModel(request),
    ...(typeof effort === 'string' && (efforts?.includes(effort) ?? true) && { effort }),
    ...(typeof request.effort === 'string' && { effort: request.effort }),
    ...(mode !== undefined && { permission_mode: mode }),
  }
  for (const name of ['max_budget_usd', 'max_turns'] as const) {
    const limits = [agent[name], session[name], request[name]].filter((limit) => typeof limit === 'number')
    if (limits.length > 0) chosen[name] = Math.min(...limits)
  }
  return chosen as EngineSettings
}

/** Whether the run is given the texts of its repository. A session may say `none` where the operator says `instructions`. */
export const effectiveRepository = (
  agent: RepositoryUse = 'instructions',
  { settings: session }: Pick<Job, 'settings'>,
): RepositoryUse => (session.repository === 'none' ? 'none' : agent)

const requestOf = (input: Job['input']): JsonObject => (isJsonObject(input) ? input : {})

/** Only a text names a model: an input that reached the log by another way may have anything there. */
const chosenModel = ({ model }: JsonObject): { readonly model?: string } => (typeof model === 'string' ? { model } : {})

/** The reason why the run may not use the chosen model, as a sentence. Null: it may, as it always may use the operator's own model. */
export const chosenModelProblem = (
  agent: EngineSettings,
  job: Pick<Job, 'settings' | 'input'>,
  modelProblem: (model: string) => string | null,
): string | null => {
  const { model } = effectiveSettings(agent, job)
  return typeof model !== 'string' || model === agent.model ? null : modelProblem(model)
}

/** The reason why the run cannot have the effort that its request chose, as a sentence with those that there are; null = it can. */
export const chosenEffortProblem = (
  { input }: Pick<Job, 'input'>,
  effortProblem: (effort: string) => string | null,
): string | null => {
  const { effort } = requestOf(input)
  return typeof effort === 'string' ? effortProblem(effort) : null
}

/** The modes that each mode tightens. Neither `dontAsk` nor `default` is stricter on every engine, so neither replaces the other. */
const TIGHTENS: { readonly [mode: string]: readonly string[] } = {
  plan: ['default', 'acceptEdits', 'dontAsk', 'auto', 'bypassPermissions'],
  default: ['acceptEdits', 'auto', 'bypassPermissions'],
  acceptEdits: ['auto', 'bypassPermissions'],
  dontAsk: ['bypassPermissions'],
  auto: ['bypassPermissions'],
  bypassPermissions: [],
}

/** Engines ask where the operator names no mode, or one that they do not know. */
const ASKS = 'default'

/** The stricter of the agent's mode and the session's. */
const stricterMode = (agent: string | undefined, session: unknown): string | undefined => {
  const own = agent !== undefined && Object.hasOwn(TIGHTENS, agent) ? agent : ASKS
  const isStricter = typeof session === 'string' && Object.hasOwn(TIGHTENS, session) && TIGHTENS[session]?.includes(own)
  return isStricter ? session : agent
}
