// Everything that an agent can have beside its tools: middleware, a policy, and more tools than a model is offered.
import { agent } from '@bridle/agents/agent'
import { critic } from '@bridle/agents/middleware/critic'
import { guardrails } from '@bridle/agents/middleware/guardrails'
import type { Middleware } from '@bridle/agents/middleware/middleware'
import { plan } from '@bridle/agents/middleware/plan'
import { retrieval } from '@bridle/agents/middleware/retrieval'
import type { LanguageModel } from '@bridle/agents/model/model'
import type { PolicyRule } from '@bridle/agents/policy'
import { subagent } from '@bridle/agents/subagents/subagent'
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

/** A critic that finds nothing missing, at once. */
const content: LanguageModel = {
  ...{ specificationVersion: 'v4', provider: 'bench', modelId: 'content', supportedUrls: {} },
  doStream: async () => ({
    stream: new ReadableStream({
      start: (controller) => {
        for (const part of okParts) controller.enqueue(part)
        controller.close()
      },
    }),
  }),
}
const okParts = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'OK' },
  { type: 'text-end', id: '0' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
]

const documents = Array.from({ length: 5 }, (_, index) => ({
  id: `d${index}`,
  text: 'A page of the handbook. '.repeat(40),
}))

/** All that come with the package. */
export const middleware = (model: InstantModel): readonly Middleware[] => [
  retrieval({ search: () => documents }),
  plan(),
  guardrails({ checks: [{ name: 'no keys', check: (text) => (text.includes('sk-') ? 'It shows a key.' : null) }] }),
  critic({ criteria: 'It says what was read.', model: content }),
  subagent({ agents: [agent({ name: 'helper', description: 'Reads what it is told to.', model })] }),
]
