// The client against the description of the server: every operation has a call, which sends the request that the description names.
import { expect, test } from 'vitest'
import { testApp } from '../../surfaces/http/test-app.suite.ts'
import { type FabricClient, fabricClient } from './http.ts'

/** Operations without a call, and what a program uses in place of one. */
const exceptions: { readonly [operation: string]: string } = {
  'get /docs': 'a page for people',
  'get /ws': 'HarnessClient',
  'get /changes': 'connectChanges',
  'get /changes/ws': 'connectChanges',
  'get /sessions/{id}/ws': 'connectFabricWs',
  'get /sessions/{id}/voice': 'connectFabricVoice',
  'get /chat/sessions/{id}/events/stream': 'envelopes, which reads the same stream',
  'post /openharness': 'the shell of bridle/openharness',
  'post /v1/openharness': 'the shell of bridle/openharness',
  'get /v1/openharness/schema': 'the shell of bridle/openharness',
}

const next = (feed: AsyncGenerator) => feed.next()
const calls: { readonly [operation: string]: (client: FabricClient) => Promise<unknown> } = {
  'delete /agents/{name}/{id}': (client) => client.remove('a', 's'),
  'get /agents': (client) => client.agents(),
  'get /agents/{name}/{id}': (client) => client.timeline('a', 's'),
  'get /agents/{name}/{id}/stream': (client) => next(client.events('a', 's')),
  'get /approvals': (client) => client.approvals(),
  'get /builds': (client) => client.builds(),
  'get /chat/sessions/{id}': (client) => client.chat('s'),
  'get /engines': (client) => client.engines(),
  'get /workspaces': (client) => client.workspaces(),
  'get /export': (client) => client.exportSessions(),
  'get /health': (client) => client.health(),
  'get /me': (client) => client.me(),
  'get /metrics': (client) => client.metrics(),
  'get /openapi.json': (client) => client.openapi(),
  'get /ready': (client) => client.ready(),
  'get /sessions': (client) => client.sessions(),
  'get /sessions/{id}': (client) => client.session('s'),
  'get /sessions/{id}/artifacts': (client) => client.artifacts('s'),
  'get /sessions/{id}/artifacts/{artifactId}': (client) => client.artifact('s', 'x'),
  'get /sessions/{id}/audit': (client) => client.audit('s'),
  'get /sessions/{id}/channel': (client) => client.channel('s'),
  'get /sessions/{id}/events': (client) => next(client.events(null, 's')),
  'get /sessions/{id}/events/stream': (client) => next(client.envelopes('s')),
  'get /sessions/{id}/export': (client) => client.exportSession('s'),
  'get /sessions/{id}/health': (client) => client.sessionHealth('s'),
  'get /sessions/{id}/health/stream': (client) => next(client.healthFeed('s')),
  'get /sessions/{id}/log': (client) => client.log('s'),
  'get /sessions/{id}/memory': (client) => client.memory('s'),
  'get /sessions/{id}/runs/{runId}': (client) => client.run('s', 'r'),
  'get /sessions/{id}/tree': (client) => client.sessionTree('s'),
  'get /sessions/{id}/workspace': (client) => client.workspace('s'),
  'get /sessions/{id}/workspace/file': (client) => client.workspaceFile('s', 'f'),
  'get /sessions/{id}/workspace/files': (client) => client.workspaceFiles('s'),
  'get /stream-events': (client) => client.streamEvents(),
  'patch /sessions/{id}': (client) => client.rename('s', 'Title'),
  'post /agents/{name}/{id}': (client) => client.invoke('a', 's', { prompt: 'x' }),
  'post /chat/sessions': (client) => client.createChat(),
  'post /chat/sessions/{id}/branch': (client) => client.branch('s', {}),
  'post /chat/sessions/{id}/turns': (client) => client.turn('s', 'x'),
  'post /files': (client) => client.upload(new Blob(['text'])),
  'post /import': (client) => client.importSessions(''),
  'post /sessions': (client) => client.startBackground({ prompt: 'x' }),
  'post /sessions/{id}/approvals/{approvalId}/approve': (client) => client.approve('s', 'x'),
  'post /sessions/{id}/approvals/{approvalId}/reject': (client) => client.reject('s', 'x'),
  'post /sessions/{id}/archive': (client) => client.archive('s'),
  'post /sessions/{id}/cancel': (client) => client.cancel('s'),
  'post /sessions/{id}/memory/{proposalId}': (client) => client.decideMemory('s', 'x', 'accept'),
  'post /sessions/{id}/pause': (client) => client.pause('s'),
  'post /sessions/{id}/policy': (client) => client.setPolicy('s', {}),
  'post /sessions/{id}/replay': (client) => client.replay('s'),
  'post /sessions/{id}/resume': (client) => client.resume('s'),
  'post /sessions/{id}/signal': (client) => client.signal('s', 'go'),
  'post /sessions/{id}/unarchive': (client) => client.unarchive('s'),
  'post /tickets': (client) => client.ticket(),
}

test('every operation of the description has a call, or an entry that says what to use', async () => {
  const { paths } = (await testApp().get('/openapi.json')).body as { paths: { [path: string]: object } }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  expect(operations.sort()).toEqual([...Object.keys(calls), ...Object.keys(exceptions)].sort())
})

test.each(Object.entries(calls))('%s', async (operation, call) => {
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
  const pattern = new RegExp(`^${method} /below${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  expect(sent).toEqual([expect.stringMatching(pattern)])
})
