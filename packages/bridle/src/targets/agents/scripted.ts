// The agent that every server has, as the wires list it.
import { type AgentInfo, acceptPrompt, promptSchema } from '../../kernel/agent-info.ts'
import { scriptedIdentity } from '../../runners/engine-identities.ts'

export const scriptedAgent: AgentInfo = {
  ...scriptedIdentity,
  name: 'scripted',
  description: 'Plays the scenario in its prompt; offline and deterministic.',
  webhook: false,
  needs: null,
  inputSchema: () => promptSchema(),
  accept: acceptPrompt,
}
