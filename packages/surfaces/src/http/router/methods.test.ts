// Methods that a path does not have.
import { expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'

const paths = [
  ['/health', 'GET, HEAD, OPTIONS'],
  ['/sessions', 'GET, HEAD, OPTIONS, POST'],
  ['/tickets', 'OPTIONS, POST'],
  ['/agents/scripted/s', 'DELETE, GET, HEAD, OPTIONS, POST'],
  ['/sessions/s/approvals/a/approve', 'OPTIONS, POST'],
  ['/chat/sessions/s', 'GET, HEAD, OPTIONS'],
] as const

test.each(paths)('[H48] %s says which methods it has', async (path, allow) => {
  const { ask } = testApp()
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    if (allow.includes(method)) continue
    const { status, body, headers } = await ask(method, path)
    expect([method, status, headers.get('allow'), typeof body.error]).toEqual([method, 405, allow, 'string'])
  }
  const asked = await ask('OPTIONS', path)
  expect([asked.status, asked.headers.get('allow')]).toEqual([204, allow])
})

test('[H48] a path without a route is a 404 for every method, and its OPTIONS allows nothing', async () => {
  const { ask } = testApp()
  for (const path of ['/nope', '/sessions/', '/sessions/s/nope', '/agents/scripted', '/agents/scripted/s/stream/x']) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) expect((await ask(method, path)).status).toBe(404)
    expect((await ask('OPTIONS', path)).headers.get('allow')).toBe(null)
  }
})
