// The client against the routes: every row has a call, and the call sends the request of its row.

import { type FabricClient, fabricClient } from '@bridle/client/fabric/http'
import { expect, test } from 'vitest'
import { httpWires } from '../all.ts'
import { routeTable } from '../app.ts'
import { isDescribed } from '../http/openapi/document.ts'

/** Operations without a call, and what a program uses in place of one. */
const exceptions: { readonly [operation: string]: string } = {
  'get /docs': 'a page for people',
  'get /ws': 'HarnessClient',
  'get /changes': 'connectChanges',
  'get /changes/ws': 'connectChanges',
  'get /sessions/:id/ws': 'connectFabricWs',
  'get /sessions/:id/voice': 'connectFabricVoice',
  'get /chat/sessions/:id/events/stream': 'envelopes, which reads the same stream',
  'post /openharness': 'the shell of bridle/openharness',
  'post /v1/openharness': 'the shell of bridle/openharness',
  'get /v1/openharness/schema': 'the shell of bridle/openharness',
}

const next = (feed: AsyncGenerator) => feed.next()

/** The calls that are written by hand. */
const byHand: { readonly [operation: string]: (client: FabricClient) => Promise<unknown> } = {
  'get /agents/:name/:id/stream': (client) => next(client.events('a', 's')),
  'get /approvals': (client) => client.approvals(),
  'get /sessions/:id/events': (client) => next(client.events(null, 's')),
  'get /sessions/:id/events/stream': (client) => next(client.envelopes('s')),
  'get /sessions/:id/health/stream': (client) => next(client.healthFeed('s')),
  'post /agents/:name/:id': (client) => client.invoke('a', 's', { prompt: 'x' }),
  'post /files': (client) => client.upload(new Blob(['text'])),
  'post /import': (client) => client.importSessions(''),
}

const rows = routeTable(httpWires).filter(isDescribed)
const generated = rows.flatMap(({ method, path, call }): [string, (client: FabricClient) => Promise<unknown>][] => {
  if (call === undefined) return []
  const name = (typeof call === 'string' ? call : call.name) as 'session'
  // As many ids as a path has at most: a call ignores what it does not take.
  return [
    [`${method} ${path}`, (client) => (client[name] as (...ids: readonly string[]) => Promise<unknown>)('a', 's', 'x')],
  ]
})

test('every route has a call, or an entry that says what to use', () => {
  const named = [...generated.map(([operation]) => operation), ...Object.keys(byHand), ...Object.keys(exceptions)]
  expect(named.sort()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).sort())
})

test.each([...generated, ...Object.entries(byHand)])('%s', async (operation, call) => {
  const sent: string[] = []
  const client = fabricClient({
    url: 'http://server.example/below',
    fetch: async (url, { method = 'GET' }) => {
      sent.push(`${method.toLowerCase()} ${new URL(url).pathname}`)
      return new Response('{}', { status: 500 })
    },
  })
  await call(client).catch(() => {})
  const [method, path = ''] = operation.split(' ')
  const pattern = new RegExp(`^${method} /below${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  expect(sent).toEqual([expect.stringMatching(pattern)])
})
