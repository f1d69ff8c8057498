// Pages, files and answers: which path gets which.
import { expect, test } from 'vitest'
import { isDenial, toResponse } from '../denials/denial.ts'
import { testApp } from '../test-app.suite.ts'
import { type FileServer, pageOr404 } from './pages.ts'

const files: FileServer = async ({ url }) => {
  const { pathname } = new URL(url)
  const texts: { readonly [path: string]: string } = { '/': '<h1>app</h1>', '/app.js': 'run()', '/sessions': 'shadow' }
  const text = texts[pathname]
  if (pathname === '/index.html') return new Response(null, { status: 307, headers: { location: '/' } })
  if (pathname === '/own.html') return new Response('own', { headers: { 'content-security-policy': 'sandbox' } })
  if (pathname === '/broken') throw new Error('no disk')
  return text === undefined ? new Response(null, { status: 404 }) : new Response(text)
}
const noSuchPath = '{"error":"Not found","message":"There is no such path. GET /docs shows all of them."}'
const html = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'
const ask = async (path: string, { accept = '*/*', method = 'GET' } = {}) => {
  const request = new Request(`http://here${path}`, { method, headers: { accept } })
  const page = await pageOr404(request, files, new Set(['sessions', 'agents']))
  return isDenial(page) ? toResponse(page) : page
}

test.each([
  ['the first page', '/', {}, 200, '<h1>app</h1>'],
  ['a file', '/app.js', {}, 200, 'run()'],
  ['a file is moved', '/index.html', {}, 307, ''],
  ['a place of the app, by a browser', '/runs/7', { accept: html }, 200, '<h1>app</h1>'],
  ['a place, by anybody else', '/runs/7', {}, 404, noSuchPath],
  ['a file that is not there, by a browser', '/gone.js', { accept: html }, 404, noSuchPath],
  ['what begins like a route, by a browser', '/sessions/7/nonsense', { accept: html }, 404, noSuchPath],
  ['a file that stands where a route is', '/sessions', {}, 404, noSuchPath],
  ['what begins like a route, written otherwise', '/%73essions/7', { accept: html }, 404, noSuchPath],
  ['what begins like a route, behind slashes', '//sessions/7', { accept: html }, 404, noSuchPath],
  ['what begins like a route, with its slash encoded', '/sessions%2f7', { accept: html }, 404, noSuchPath],
  ['what is no encoding', '/%E0%A4%A', { accept: html }, 200, '<h1>app</h1>'],
  ['a way up, encoded', '/%2e%2e%2fetc%2fpasswd', { accept: html }, 404, noSuchPath],
  ['a way up behind a place, encoded', '/runs%2f%2E%2e%2f%2e.%2fetc', { accept: html }, 404, noSuchPath],
  ['a way up with backslashes, encoded', '/runs/%2e%2e%5c%2e%2e%5cetc', { accept: html }, 404, noSuchPath],
  ['the same place, encoded', '/%2e%2fetc', { accept: html }, 404, noSuchPath],
  ['a route with another word behind it', '/sessions-page', { accept: html }, 200, '<h1>app</h1>'],
  ['another method', '/', { method: 'POST' }, 404, noSuchPath],
] as const)('[H28] %s: %s', async (_name, path, how, status, body) => {
  const answer = await ask(path, how)
  expect([answer.status, (await answer.text()).trimEnd()]).toEqual([status, body])
})

test('[H28] a file that cannot be read is a 500', async () => {
  const answer = await ask('/broken')
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { error: { type: 'internal_error', message: 'Something went wrong here.' } },
  ])
})

test('[H28] pages have security headers, and keep those that a file has already', async () => {
  const { headers } = await ask('/')
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'self'; img-src 'self' blob:; media-src 'self' blob:; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('permissions-policy')).toContain('microphone=(self)')
  expect((await ask('/own.html')).headers.get('content-security-policy')).toBe('sandbox')
})

test('[H28] behind a proxy that removes a prefix, a page asks for its files below the prefix', async () => {
  const index =
    '<meta name="bridle-base" content="/"><script src="/assets/a.js"></script><a href="//other"></a><a href="https://web/">'
  const served: FileServer = async () =>
    new Response(index, { headers: { 'content-type': 'text/html; charset=utf-8', etag: '"a"' } })
  const request = (prefix: string) =>
    new Request('http://here/runs/7', { headers: { accept: html, 'x-forwarded-prefix': prefix } })
  const textFor = async (prefix: string) => {
    const page = await pageOr404(request(prefix), served, new Set())
    return isDenial(page) ? null : [await page.text(), page.headers.get('etag')]
  }
  expect(await textFor('/team/bridle')).toEqual([
    '<meta name="bridle-base" content="/team/bridle/"><script src="/team/bridle/assets/a.js"></script><a href="//other"></a><a href="https://web/">',
    null,
  ])
  expect(await textFor('')).toEqual([index, '"a"'])
  expect(await textFor('/"><script>')).toEqual([index, '"a"'])
})

test('[H28] without an app, / redirects to the description of the routes', async () => {
  const { get, post } = testApp()
  const { status, headers } = await get('/')
  expect([status, headers.get('location')]).toEqual([302, '/docs'])
  expect((await get('/docs')).status).toBe(200)
  expect([(await post('/', {})).status, (await get('/nonsense')).status]).toEqual([404, 404])
})
