// Routes by session id, whatever agent and wire made the session.
import type { Context } from 'hono'
import { isRefusal } from '../../kernel/commands.ts'
import { isId, type Key } from '../../kernel/event.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { App, AppPorts } from './app.ts'
import { readBody } from './body.ts'
import { badRequest, failure, notFound, refused } from './errors.ts'
import { sessionDetail } from './session-detail.ts'

export const sessions = (app: App, ports: AppPorts): void => {
  app.get('/sessions/:id', async (c) => {
    const key = await resolve(c, ports)
    if (key instanceof Response) return key
    const session = await ports.host.find(key)
    return session ? c.json(sessionDetail(session)) : notFound(c)
  })
  app.post('/sessions/:id/approvals/:approvalId/:verdict', (c) => answer(c, ports))
}

const verdicts: { readonly [verdict: string]: 'approved' | 'denied' } = { approve: 'approved', reject: 'denied' }

/** `{ args?, reason?, actor? }`: edited arguments, why, and who. */
const answer = async (c: Context, ports: AppPorts): Promise<Response> => {
  const verdict = c.req.param('verdict') ?? ''
  const decision = Object.hasOwn(verdicts, verdict) ? verdicts[verdict] : undefined
  if (!decision) return badRequest(c, 'An approval is answered by /approve or /reject.')
  const key = await resolve(c, ports)
  if (key instanceof Response) return key
  const body = await readBody(c)
  if (body instanceof Response) return body
  const { args, reason, actor } = body
  if (args !== undefined && (typeof args !== 'object' || args === null || Array.isArray(args))) {
    return badRequest(c, 'args must be an object.')
  }
  if (![reason, actor].every((text) => text === undefined || typeof text === 'string')) {
    return badRequest(c, 'reason and actor must be texts.')
  }
  const outcome = await ports.host.send(key, {
    type: 'approve',
    approvalId: c.req.param('approvalId') ?? '',
    decision,
    ...(args !== undefined && { args: args as JsonObject }),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof actor === 'string' && { actor }),
  })
  return isRefusal(outcome) ? refused(c, outcome) : c.json({ ok: true, ...outcome })
}

/** Ids alone may be ambiguous; a foreign tenant's look exactly like unknown ones. */
const resolve = async (c: Context, { directory }: AppPorts): Promise<Key | Response> => {
  const id = c.req.param('id') ?? ''
  const agent = c.req.query('agent')
  if (!isId(id)) return notFound(c)
  const keys = (await directory.find(c.get('tenant'), id)).filter((key) => agent === undefined || key.agent === agent)
  const [key, ...others] = keys
  if (!key) return notFound(c)
  if (others.length === 0) return key
  const agents = keys.map((each) => each.agent).join(', ')
  return failure(c, 'conflict', `Several agents have this session: ${agents}. Say which by ?agent=.`)
}
