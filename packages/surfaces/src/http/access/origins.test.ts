// Web pages: the origins that may ask, and the requests of other sites that a browser sends without one.
import { describe, expect, test } from 'vitest'
import { testApp } from '../test-app.suite.ts'
import { bearer, scriptBody } from '../test-client.suite.ts'

describe('[H14] pages', () => {
  test.each<[string, string, string, number]>([
    ['a page of this very server', 'app.example', 'https://app.example', 200],
    ['a page that is allowed', 'app.example', 'https://friend.example', 200],
    ['a page of this machine', 'app.example', 'http://localhost:5173', 200],
    ['any other page', 'app.example', 'https://evil.example', 403],
    ['a page without an origin', 'app.example', 'null', 403],
  ])('%s', async (_name, host, origin, status) => {
    const { get } = testApp({ authToken: 'right', allowedOrigins: ['https://friend.example'] })
    const reply = await get('/sessions', { ...bearer('right'), host, origin })
    expect(reply.status).toBe(status)
  })

  test('a page of an allowed origin can read the answer, another page cannot', async () => {
    const { ask } = testApp({ authToken: 'right', allowedOrigins: ['https://friend.example'] })
    const allow = async (origin: string) => {
      const headers = {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      }
      return (await ask('OPTIONS', '/sessions', undefined, headers)).headers.get('access-control-allow-origin')
    }
    expect([await allow('https://friend.example'), await allow('https://evil.example')]).toEqual([
      'https://friend.example',
      null,
    ])
  })
})

describe('[H36] pages of other sites', () => {
  const site = (where: string, mode: string, dest: string) => ({
    'sec-fetch-site': where,
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  })
  test.each<[string, Record<string, string>, number]>([
    ['an image', site('cross-site', 'no-cors', 'image'), 403],
    ['an image of another port', site('same-site', 'no-cors', 'image'), 403],
    ['a script', site('cross-site', 'no-cors', 'script'), 403],
    ['a frame', site('cross-site', 'navigate', 'iframe'), 403],
    ['a frame of another port', site('same-site', 'navigate', 'iframe'), 403],
    ['a fetch without CORS', site('cross-site', 'no-cors', 'empty'), 403],
    ['a link', site('cross-site', 'navigate', 'document'), 200],
    ['a page of ours', site('same-origin', 'cors', 'empty'), 200],
    ['the address bar', site('none', 'navigate', 'document'), 200],
    ['no browser', {}, 200],
    [
      'a page of this machine that says so',
      { ...site('same-site', 'cors', 'empty'), origin: 'http://localhost:5173' },
      200,
    ],
    [
      'a page of elsewhere that says so',
      { ...site('cross-site', 'cors', 'empty'), origin: 'https://evil.example' },
      403,
    ],
    ['a page that is allowed', { ...site('cross-site', 'cors', 'empty'), origin: 'https://friend.example' }, 200],
  ])('%s', async (_name, headers, status) => {
    const { get, post } = testApp({ allowedOrigins: ['https://friend.example'] })
    await post('/agents/scripted/s1', scriptBody({ text: 'x' }))
    for (const path of ['/sessions', '/sessions/s1', '/approvals', '/docs', '/metrics'])
      expect([path, (await get(path, headers)).status]).toEqual([path, status])
    const stream = await get('/agents/scripted/s1?limit=1', headers)
    expect(stream.status).toBe(status)
    // A link asks with GET: a page that posts in its place does not get in.
    const isLink = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-site'] === 'cross-site'
    expect((await post('/sessions/s1/cancel', {}, headers)).status).toBe(isLink ? 403 : status)
  })

  test('with a token, an image of another page may use a ticket', async () => {
    const { get, post } = testApp({ authToken: 'right' })
    const { body } = await post('/tickets', {}, bearer('right'))
    const embedded = await get(`/sessions?ticket=${body.ticket}`, site('cross-site', 'no-cors', 'image'))
    expect(embedded.status).toBe(200)
  })

  test('no page can embed an answer, or read it as another content type', async () => {
    const { get, post } = testApp({ authToken: 'right' })
    const answers = [
      await get('/health'),
      await get('/sessions'),
      await get('/sessions', bearer('right')),
      await get('/sessions/none', bearer('right')),
      await post('/tickets', {}, bearer('right')),
      await get('/docs', bearer('right')),
    ]
    for (const { headers } of answers)
      expect([headers.get('cross-origin-resource-policy'), headers.get('x-content-type-options')]).toEqual([
        'same-origin',
        'nosniff',
      ])
  })
})
