// Everything that an agent can have beside its tools: middleware, a policy, and more tools than a model is offered.
import { agent } from '../packages/bridle/src/agents/agent.ts'
import type { Middleware } from '../packages/bridle/src/agents/middleware/middleware.ts'
import type { PolicyRule } from '../packages/bridle/src/agents/policy.ts'
import { subagent } from '../packages/bridle/src/agents/subagents/subagent.ts'
import type { InstantModel } from './agent-model.ts'

/** Tools in all, of which a turn offers 25. */
export const MANY_TOOLS = 200

/** Rules as a careful operator writes them; the last ones allow what the model does. */
export const policy: readonly PolicyRule[] = [
  { tool: 'delete_*', do: 'deny', reason: 'Nothing is deleted.' },
  { tool: 'shell', command: 'rm *', do: 'deny' },
  { tool: 'shell', command: 'git push*', do: 'ask', once: true },
  { tool: 'read_part_*', when: ({ path }) => String(path).startsWith('/etc'), do: 'ask' },
  { tool: 'write_*', do: 'ask', risk: 'high' },
  { tool: 'read_*', do: 'allow' },
]

/** Looks at every point, and changes nothing. */
const onlooker: Middleware = {
  name: 'onlooker',
  start: () => [{ text: 'The repository is written in TypeScript.' }],
  before: ({ input }) => (input.path === '' ? { deny: 'A path is needed.' } : undefined),
  after: () => undefined,
  answer: (_turn, text) => (text === '' ? { again: 'Say something.' } : undefined),
  model: (request, next) => next(request),
}

export const middleware = (model: InstantModel): readonly Middleware[] => [
  onlooker,
  subagent({ agents: [agent({ name: 'helper', description: 'Reads what it is told to.', model })] }),
]
