// Bundled for workerd: an agent that stores each delta in its SQLite and sends it to every socket.
// @ts-expect-error fetched when the benchmark runs
import { Agent, routeAgentRequest } from 'agents'
import { type ReplyPlan, streamReply } from './fanout-reply.ts'

export class Speaker extends (Agent as AgentClass) {
  onStart() {
    this.sql`CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, body TEXT)`
  }

  async onRequest(request: Request): Promise<Response> {
    const sentAt = await streamReply((await request.json()) as ReplyPlan, (delta) => {
      const body = JSON.stringify({ type: 'text_delta', data: { delta } })
      this.sql`INSERT INTO log (body) VALUES (${body})`
      this.broadcast(body)
    })
    return Response.json(sentAt)
  }
}

export default {
  fetch: async (request: Request, env: unknown): Promise<Response> =>
    (await routeAgentRequest(request, env)) ?? new Response(null, { status: 404 }),
}

type AgentClass = new () => {
  sql(parts: TemplateStringsArray, ...values: string[]): unknown
  broadcast(text: string): void
}
