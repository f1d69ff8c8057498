// An engine of OpenHarness on a loopback port, which answers with a function of the test.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RequestMessage } from 'bridle/openharness'

export type StubAnswer = (request: RequestMessage) => readonly unknown[] | { readonly error: unknown }

export interface StubEngine {
  readonly url: string
  readonly requests: RequestMessage[]
  close(): Promise<void>
}

/** Starts an engine. A list answers with these directives, an error with a failure. */
export const stubEngine = async (answer: StubAnswer): Promise<StubEngine> => {
  const requests: RequestMessage[] = []
  const server = createServer(async (incoming, outgoing) => {
    let text = ''
    for await (const piece of incoming.setEncoding('utf8')) text += piece
    const request = JSON.parse(text) as RequestMessage
    requests.push(request)
    const given = answer(request)
    const response = 'error' in given ? { status: 'error', ...given } : { status: 'success', action_directives: given }
    const { request_id, correlation_id } = request
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(JSON.stringify({ protocol_version: '1.0.0', request_id, correlation_id, response }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1/openharness`,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const say = (text: string) => ({ action_type: 'render_message', payload: { text } })

/** A question with two answers; their tokens are `yes-<run>` and `no-<run>`. */
export const question = (run: string) => ({
  action_type: 'request_approval',
  payload: {
    message: `May ${run} go on?`,
    tool: 'close_issue',
    arguments: { number: 7 },
    run_id: run,
    continuation_token: `plain-${run}`,
    options: [
      { id: 'approve', label: 'Approve', continuation_token: `yes-${run}` },
      { id: 'deny', label: 'Deny', continuation_token: `no-${run}` },
    ],
  },
})
