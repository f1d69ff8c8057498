// Tasks: Claude Code works on each in a folder of its own, made from your repository. The app knows nothing else of Bridle.
import { randomUUID } from 'node:crypto'
import { type AgentEvent, fabricClient, type GivenAnswer } from 'bridle/client'
import { HarnessServer, type ServerOptions } from 'bridle/node'

export interface Tasks {
  /** Begins a task, and answers with its id. */
  readonly start: (prompt: string) => Promise<string>
  readonly has: (id: string) => Promise<boolean>
  /** Everything that happens in a task, from its beginning: text, calls of tools, approvals, its end. */
  readonly events: (id: string, signal?: AbortSignal) => AsyncIterable<AgentEvent>
  /** Decides an approval. */
  readonly decide: (id: string, approvalId: string, isApproved: boolean) => Promise<void>
  /** Answers a question of Claude. */
  readonly answer: (id: string, approvalId: string, given: GivenAnswer) => Promise<void>
  /** Why no task can begin, or null. */
  readonly problem: () => Promise<string | null>
  readonly close: () => Promise<void>
}

export const startTasks = async (
  { agent, repository }: { agent: string; repository: string },
  options: ServerOptions = {},
): Promise<Tasks> => {
  // Only this program knows the token, so nothing that Claude runs can call the server.
  const authToken = randomUUID()
  const server = await HarnessServer.start({
    port: 0,
    authToken,
    workspaces: { sources: [repository] },
    ...options,
  })
  const fabric = fabricClient({ url: server.url, authToken })
  return {
    start: async (prompt) => {
      const workspace = { mode: 'write', source: repository } as const
      const { session_id } = await fabric.startBackground({ agent, prompt, max_retries: 0, workspace })
      return session_id
    },
    has: (id) =>
      fabric.session(id, agent).then(
        () => true,
        () => false,
      ),
    events: (id, signal) => fabric.events(agent, id, { after: '0', ...(signal && { signal }) }),
    decide: async (id, approvalId, isApproved) => {
      await (isApproved ? fabric.approve : fabric.reject)(id, approvalId, { agent })
    },
    answer: async (id, approvalId, given) => {
      await fabric.answer(id, approvalId, { agent, ...given })
    },
    problem: async () => {
      const { agents = [] } = await fabric.ready()
      const status = agents.find(({ name }) => name === agent)
      if (status?.available) return null
      return `${agent} is not available: ${status?.needs ?? 'there is no such agent.'}`
    },
    close: () => server.close(),
  }
}
