// The model of a session: the agent may have none, and the operator may not allow it.
import { type AgentInfo, promptRefusal } from '@bridle/kernel/agent-info'
import type { Key } from '@bridle/kernel/event'
import type { Host } from '@bridle/kernel/host/host'
import { badRequest, type Denial } from '../denials/denial.ts'

/** The refusal of a model that a caller chose for a session, and that its agent cannot or may not ask. */
export const modelDenial = ({ modelProblem }: Pick<AgentInfo, 'modelProblem'>, model: unknown): Denial | null => {
  const problem = typeof model === 'string' ? (modelProblem?.(model) ?? null) : null
  return problem === null ? null : badRequest(`body: model: ${problem}`)
}

/**
 * The reason why the agent cannot take a prompt. It is refused before a run begins: nothing is logged, and no idempotency key is used up.
 * The session is opened only if its own model can make the difference.
 */
export const promptRefusalOf = async (host: Pick<Host, 'find'>, key: Key, agent: AgentInfo): Promise<string | null> => {
  if (promptRefusal(agent, undefined) === null) return null
  return promptRefusal(agent, (await host.find(key))?.state.lifecycle.settings.model)
}
