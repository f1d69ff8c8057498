// The agent that is always there, as it is listed.
import { type AgentInfo, acceptPrompt } from '../../kernel/agent-info.ts'

export const scriptedAgent: AgentInfo = {
  name: 'scripted',
  description: 'Plays the scenario in its prompt; offline and deterministic.',
  webhook: false,
  needs: null,
  accept: acceptPrompt,
}
