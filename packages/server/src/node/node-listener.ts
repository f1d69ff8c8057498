// Takes Node's request and response, so that responses can be compressed and event streams written directly to the connection.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { compressResponse } from './http/compression.ts'
import { sendEventStream } from './http/event-streams.ts'
import { requestErrorResponse } from './http/parser-errors.ts'
import { closeAfterUnreadBody } from './http/unread-body.ts'
import type { NodeBindings, OpenHarness } from './open-harness.ts'

export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>
export type HarnessFetch = (request: Request, bindings: NodeBindings) => Promise<Response>

export const nodeListener = (
  { app, backlog }: Pick<OpenHarness, 'app' | 'backlog'>,
  answer: HarnessFetch = async (request, bindings) => app.fetch(request, bindings),
): NodeListener => {
  const fetch = async (request: Request, env: unknown) => {
    const bindings = env as HttpBindings
    const response = await answer(request, bindings)
    const { outgoing } = bindings
    closeAfterUnreadBody(bindings.incoming, outgoing)
    return sendEventStream(await compressResponse(request, response), outgoing, backlog)
  }
  return getRequestListener(fetch, { errorHandler: requestErrorResponse })
}
