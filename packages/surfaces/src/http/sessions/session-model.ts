import { type AgentInfo, promptRefusal } from '@bridle/kernel/agent-info'
import type { Key } from '@bridle/kernel/event'
import type { Host } from '@bridle/kernel/host/host'
import { badRequest, type Denial } from '../denials/denial.ts'

type Choices = Pick<AgentInfo, 'modelProblem' | 'effortProblem'>

/** The refusal of a model or an effort that a caller chose for a session, and that its agent does not have or may not use. */
export const choiceDenial = (
  { modelProblem, effortProblem }: Choices,
  { model, think_level: effort }: { readonly model?: unknown; readonly think_level?: unknown },
): Denial | null => {
  const unfit = typeof model === 'string' ? (modelProblem?.(model) ?? null) : null
  if (unfit !== null) return badRequest(`body: model: ${unfit}`)
  const unknown = typeof effort === 'string' ? (effortProblem?.(effort) ?? null) : null
  return unknown === null ? null : badRequest(`body: think_level: ${unknown}`)
}

/** Refuses before the run starts, so that nothing is logged and no idempotency key is used up. */
export const promptRefusalOf = async (host: Pick<Host, 'find'>, key: Key, agent: AgentInfo): Promise<string | null> => {
  if (promptRefusal(agent, undefined) === null) return null
  return promptRefusal(agent, (await host.find(key))?.state.lifecycle.settings.model)
}
