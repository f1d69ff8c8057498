// A prompt for an agent whose model cannot be asked is refused before a run begins: nothing is logged, and no idempotency key is used up.
import { type AgentInfo, promptRefusal } from '../../../kernel/agent-info.ts'
import type { Key } from '../../../kernel/event.ts'
import type { Host } from '../../../kernel/host/host.ts'

/** The session is opened only if its own model can make the difference. */
export const promptRefusalOf = async (host: Pick<Host, 'find'>, key: Key, agent: AgentInfo): Promise<string | null> => {
  if (promptRefusal(agent, undefined) === null) return null
  return promptRefusal(agent, (await host.find(key))?.state.lifecycle.settings.model)
}
