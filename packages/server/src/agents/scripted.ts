import { scriptedIdentity } from '@bridle/agents/in-process/engine-identities'
import { type AgentInfo, acceptPrompt, promptSchema } from '@bridle/kernel/agent-info'

export const scriptedAgent: AgentInfo = {
  ...scriptedIdentity,
  name: 'scripted',
  description: 'Plays the scenario in its prompt; offline and deterministic.',
  webhook: false,
  needs: null,
  inputSchema: () => promptSchema(),
  accept: acceptPrompt,
}
