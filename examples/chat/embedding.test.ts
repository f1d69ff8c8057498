// A real browser shows a page of another port that embeds routes of a server without a token; the server refuses.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HarnessServer } from 'bridle/node'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedBrowser } from '../../apps/cockpit/tests/browser.suite.ts'
import { findChromium, needs } from '../../scripts/needs.ts'

describe.skipIf(needs('chromium') !== null)('[H36] a page of another port', () => {
  const data = mkdtempSync(join(tmpdir(), 'bridle-embedding-'))
  const seen: { route: string; status: number }[] = []
  let browser: Browser
  let server: HarnessServer
  let stranger: Server
  let page = ''

  beforeAll(async () => {
    const log = (_level: string, message: string, fields: object = {}) => {
      const { route, status } = fields as { route: string; status: number }
      if (message === 'request') seen.push({ route, status })
    }
    server = await HarnessServer.start({ port: 0, data, log, env: {} })
    for (const id of ['one', 'two', 'three'])
      await fetch(`${server.url}/agents/scripted/${id}`, {
        method: 'POST',
        body: JSON.stringify({ prompt: `@script ${JSON.stringify([{ text: id }])}` }),
      })
    stranger = createServer((_incoming, outgoing) => {
      outgoing.setHeader('content-type', 'text/html')
      outgoing.end(page)
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    browser = await sharedBrowser(findChromium() as string)
  }, 60_000)
  afterAll(async () => {
    stranger?.close()
    await server?.close()
    rmSync(data, { recursive: true, force: true })
  })

  const open = async (html: string, host: string) => {
    page = html
    seen.length = 0
    const tab = await browser.newPage()
    await tab.goto(`http://${host}:${(stranger.address() as AddressInfo).port}/`)
    return tab
  }

  // By another name it is another site; by the same name and another port, the same site.
  test.each(['localhost', '127.0.0.1'])('of %s embeds nothing', async (host) => {
    const paths = ['/sessions', '/agents/scripted/one/stream', '/sessions/two', '/docs']
    const html = paths.map((path) => `<img src="${server.url}${path}"><iframe src="${server.url}${path}"></iframe>`)
    const tab = await open(`<!doctype html>${html.join('')}<script src="${server.url}/openapi.json"></script>`, host)
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(9)
    expect(seen.filter(({ status }) => status !== 403)).toEqual([])
    await tab.close()
  })

  test('that says its origin is let in, and a link leads to a page', async () => {
    const tab = await open(`<!doctype html><a href="${server.url}/docs">docs</a>`, 'localhost')
    const status = await tab.evaluate(async (url) => (await fetch(url)).status, `${server.url}/sessions`)
    expect(status).toBe(200)
    await tab.click('a')
    await tab.waitForURL(`${server.url}/docs`)
    expect(seen.map(({ route, status: answered }) => [route, answered])).toEqual([
      ['/sessions', 200],
      ['/docs', 200],
    ])
    await tab.close()
  })
})
