// The cockpit of a checkout: the server answers while it is built, and serves it afterwards.
import { utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { buildFailedPage, checkoutCockpit } from './checkout-cockpit.ts'

const page = fileURLToPath(new URL('../../../../apps/cockpit/index.html', import.meta.url))

test('[O42] the first page starts the build and says so; soon the app is there, at every address of it', async () => {
  // A source that is newer than the last build, whether there was one or not.
  utimesSync(page, new Date(), new Date())
  const files = checkoutCockpit()
  const ask = async (path: string) => (await files?.(new Request(`http://here${path}`))) as Response
  const first = await ask('/')
  expect([first.status, first.headers.get('refresh'), first.headers.get('cache-control')]).toEqual([
    503,
    '1',
    'no-store',
  ])
  expect(first.headers.get('content-security-policy')).not.toContain('script')
  expect(await first.text()).toContain('The cockpit is being built')
  expect((await ask('/assets/x.js')).status).toBe(404)
  await expect.poll(async () => (await ask('/')).status, { timeout: 60_000, interval: 250 }).toBe(200)
  const app = await (await ask('/')).text()
  expect(app).toContain('<div id="app">')
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(app) ?? []
  expect((await ask(script)).headers.get('content-type')).toContain('text/javascript')
  // The next start finds it current.
  const next = (await checkoutCockpit()?.(new Request('http://here/'))) as Response
  expect(next.status).toBe(200)
})

test('[O42] a build that failed shows its output as text, and what to do', async () => {
  const failed = buildFailedPage('<script>alert(1)</script> is no module')
  expect(failed.status).toBe(500)
  const text = await failed.text()
  expect(text).toContain('npm ci')
  expect(text).toContain('&lt;script&gt;')
  expect(text).not.toContain('<script>')
})
