// The Fabric document's routes. Thin: read the request, ask the session, answer in the document's shapes.
import type { Context } from 'hono'
import { type Answer, isRefusal } from '../../kernel/commands.ts'
import { isId, type Key } from '../../kernel/event.ts'
import { canonical, hashText, type JsonObject } from '../../kernel/json.ts'
import { runOutcome } from '../../kernel/outcome.ts'
import type { Session } from '../../kernel/session.ts'
import type { App, AppPorts } from '../http/app.ts'
import { readBody } from '../http/body.ts'
import { badRequest, failure, notFound, refused } from '../http/errors.ts'
import { cursorOf, eventStream, frame } from '../http/sse.ts'
import { agentEvent, streamAudience } from './codec.ts'
import type { AgentEvent } from './wire.ts'

export const fabric = (app: App, ports: AppPorts): void => {
  app.post('/agents/:name/:id', (c) => invoke(c, ports))
  app.get('/agents/:name/:id/stream', (c) => stream(c, ports))
}

/** Answers when the run ends, through queue and approvals. A caller that leaves does not stop it. */
const invoke = async (c: Context, { host, agents }: AppPorts): Promise<Response> => {
  const key = keyOf(c, agents)
  if (key instanceof Response) return key
  const body = await readBody(c)
  if (body instanceof Response) return body
  const command = submission(body)
  if (typeof command === 'string') return badRequest(c, command)
  const commandId = c.req.header('idempotency-key')
  if (commandId !== undefined && !isId(commandId)) return badRequest(c, 'The Idempotency-Key is not a valid id.')
  const answer = await host.send(
    key,
    command,
    commandId === undefined ? null : { commandId, bodyHash: hashText(canonical(body)) },
  )
  if (isRefusal(answer)) return refused(c, answer)
  return ended(c, await host.open(key), answer)
}

const ended = async (c: Context, session: Session, { runId, seq }: Answer): Promise<Response> => {
  const { key } = session
  const outcome = await runOutcome(session, String(runId), Number(seq) - 1)
  const where = { sessionId: key.id, agentPath: `/agents/${key.agent}/${key.id}` }
  switch (outcome.status) {
    case 'completed':
      return c.json({ result: outcome.result, ...where })
    case 'failed':
      return c.json(
        { error: { type: 'internal_error', message: outcome.message, reason: outcome.reason }, ...where },
        500,
      )
    case 'cancelled':
      return failure(c, 'conflict', 'The run was cancelled.')
    case 'moved':
      return failure(c, 'unavailable', 'The server is going away; the run goes on after the restart.')
  }
}

/** The body is the agent's input; the built-in agents take `{ prompt }`. */
const submission = (body: JsonObject) => {
  const { prompt, ...more } = body
  if (typeof prompt !== 'string') return 'The body must have a "prompt" that is a text.'
  return { type: 'submit' as const, prompt, ...(Object.keys(more).length > 0 && { input: body }) }
}

/** May be opened before the first invoke: then it waits. */
const stream = async (c: Context, ports: AppPorts): Promise<Response> => {
  const key = keyOf(c, ports.agents)
  if (key instanceof Response) return key
  const cursor = cursorOf(c.req.header('last-event-id'), c.req.query('after'))
  if (cursor === undefined) return badRequest(c, 'The cursor is not an event id.')
  const replay = c.req.query('replay') ?? 'all'
  if (!/^(all|none|\d{1,9})$/.test(replay)) return badRequest(c, 'replay is "all", "none" or a number.')
  const session = await ports.host.open(key)
  const { head, at } = session.state
  const beyond = cursor !== null && cursor > head
  return eventStream({
    audience: streamAudience(key),
    subscribers: session.subscribers,
    since: beyond ? 0 : (cursor ?? (await replayFrom(session, replay))),
    ...(beyond && { opening: frame(reset(key, head, at)) }),
    ...(ports.heartbeatMs !== undefined && { heartbeatMs: ports.heartbeatMs }),
  })
}

const reset = (key: Key, head: number, at: number): AgentEvent => ({
  id: `reset-${head}`,
  type: 'reset',
  timestamp: new Date(at).toISOString(),
  sessionId: key.id,
  data: { head },
})

/** The cursor that leaves the last N events of this wire to come. */
const replayFrom = async (session: Session, replay: string): Promise<number> => {
  const { head } = session.state
  if (replay === 'all') return 0
  const count = replay === 'none' ? 0 : Number(replay)
  if (count === 0) return head
  for (let reach = count * 4; ; reach *= 4) {
    const from = Math.max(0, head - reach)
    const shown = (await session.read(from, reach)).filter((event) => agentEvent(session.key, event))
    const first = shown.at(-count)
    if (first) return first.seq - 1
    if (from === 0) return 0
  }
}

const keyOf = (c: Context, agents: ReadonlySet<string>): Key | Response => {
  const agent = c.req.param('name') ?? ''
  const id = c.req.param('id') ?? ''
  if (!agents.has(agent)) return notFound(c)
  if (!isId(id)) return badRequest(c, 'The session id may have letters, digits and . _ : @ - only, at most 128.')
  return { tenant: c.get('tenant'), agent, id }
}
