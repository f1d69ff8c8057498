import { type AgentInfo, promptRefusal } from '@bridle/kernel/agent-info'
import type { Key } from '@bridle/kernel/event'
import type { Host } from '@bridle/kernel/host/host'
import { badRequest, type Denial } from '../denials/denial.ts'

export const modelDenial = ({ modelProblem }: Pick<AgentInfo, 'modelProblem'>, model: unknown): Denial | null => {
  const problem = typeof model === 'string' ? (modelProblem?.(model) ?? null) : null
  return problem === null ? null : badRequest(`body: model: ${problem}`)
}

/** Refuses before the run starts, so that nothing is logged and no idempotency key is used up. */
export const promptRefusalOf = async (host: Pick<Host, 'find'>, key: Key, agent: AgentInfo): Promise<string | null> => {
  if (promptRefusal(agent, undefined) === null) return null
  return promptRefusal(agent, (await host.find(key))?.state.lifecycle.settings.model)
}
