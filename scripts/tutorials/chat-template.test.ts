// The template `chat`: its page, built and shown by a server, in a real browser, and its `npm run dev`.
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@bridle/cli/cli.suite'
import { writeProject } from '@bridle/cli/init/write-project'
import { HarnessClient } from 'bridle/client'
import { HarnessServer } from 'bridle/node'
import { build, defaultClientConditions } from 'vite'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { launch } from '../../examples/chat/browser.suite.ts'
import { findChromium, needs } from '../needs.ts'
import { isThorough } from '../variants.ts'
import { type ProjectProgram, TemplateProject } from './template-project.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-chat-template-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(needs('chromium') !== null || !isThorough)(
  '[C110] the built page of chat has no error in its console, and shows the newest part of a conversation',
  {
    timeout: 60_000,
  },
  async () => {
    const project = join(folder, 'project')
    writeProject({ folder: project, template: 'chat', source: { kind: 'registry', version: '0.1.0' } })
    // The packages of this checkout stand for an installation.
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(project, 'node_modules'))
    await build({
      root: project,
      logLevel: 'warn',
      resolve: { conditions: ['bridle-source', ...defaultClientConditions] },
    })
    const server = await HarnessServer.start({
      ...{ port: 0, data: join(folder, 'data'), agentsRoot: project, cockpit: join(project, 'dist') },
      ...{ env: { BRIDLE_AGENT: 'helper' }, log: () => {} },
    })
    const browser = await launch(findChromium() as string)
    try {
      const page = await browser.newPage()
      const errors: string[] = []
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      page.on('pageerror', (error) => errors.push(error.message))
      await page.goto(server.url)
      await page.getByLabel('Message').fill('My name is Ada')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('Nice to meet you, Ada.').waitFor()
      // The newest part of a long conversation is in sight. A click would scroll to it.
      await page.getByLabel('Message').fill(`Send a note to Bob: ${'long '.repeat(1_000)}`)
      await page.keyboard.press('Enter')
      const deny = page.getByRole('button', { name: 'Deny' })
      await deny.waitFor()
      const [button, form] = [await deny.boundingBox(), await page.locator('form').boundingBox()]
      expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(form?.y ?? 0)
      await deny.click()
      await page.getByText('Then I leave it.').waitFor()
      const icon = (await page.locator('link[rel=icon]').getAttribute('href')) ?? ''
      // A headless browser asks for no icon, so the page does: the policy says the same of an image.
      const isShown = await page.evaluate(
        `(async () => {
        const image = new Image()
        image.src = ${JSON.stringify(icon)}
        return image.decode().then(() => true, () => false)
      })()`,
      )
      expect([errors, isShown]).toEqual([[], true])
      // The server refuses for good: the page says why, and takes no prompt that nobody would get.
      const refusal = { code: 4004, reason: 'There is no agent helpr; there is helper.' }
      await page.routeWebSocket(/\/ws\?/, (socket) => socket.close(refusal))
      await page.reload()
      await page.getByText(refusal.reason, { exact: true }).waitFor()
      expect(await page.locator('header small').textContent()).toBe('closed')
      expect(await page.getByLabel('Message').isDisabled()).toBe(true)
      expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    } finally {
      await browser.close()
      await server.close()
    }
  },
)

describe('[C110] npm run dev of chat', () => {
  vi.setConfig({ testTimeout: 90_000 })
  const project = new TemplateProject('chat')
  // The package from source.
  const conditions = `resolve: { conditions: ['bridle-source', ...defaultClientConditions] }`
  project.edit('vite.config.ts', (text) =>
    text
      .replace('{ defineConfig }', '{ defaultClientConditions, defineConfig }')
      .replace('[react()]', `[react()], ${conditions}`),
  )
  afterEach(() => project.end())
  afterAll(() => project.remove())
  const ask = async (port: number, prompt: string): Promise<object> => {
    const response = await fetch(`http://127.0.0.1:${port}/agents/helper/first`, {
      method: 'POST',
      body: JSON.stringify({ prompt }),
    })
    return (await response.json()) as object
  }
  const pageOf = async (dev: ProjectProgram): Promise<string> => {
    const line = /The page:\n.*(http:\/\/localhost:\d+)/
    await dev.until(line)
    return line.exec(dev.printed())?.[1] ?? ''
  }
  const inUse = /^bridle: .*in use.*$/gm

  test('names what it serves, prints a line per run, reloads an agent, and shows where one threw', async () => {
    const port = await freePort()
    const dev = project.start('dev.ts', { PORT: String(port) })
    await dev.until('agents/ is watched')
    const page = await pageOf(dev)
    expect(await (await fetch(page)).text()).toContain('/src/main.tsx')
    expect(dev.printed()).toMatch(new RegExp(`cockpit +http://127\\.0\\.0\\.1:${port}\\n`))
    expect(dev.printed()).toMatch(/agents +helper, scripted/)
    expect(await ask(port, 'My name is Ada')).toMatchObject({ result: 'Nice to meet you, Ada.' })
    await dev.until(/✓ helper {2}first {2}completed in \d+ ms/)

    // A tab that is closed cuts its socket.
    const { hostname, port: pagePort } = new URL(page)
    const tab = connect(Number(pagePort), hostname)
    const handshake = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
    tab.write(['GET /ws?userId=ann&agent=helper HTTP/1.1', `Host: ${hostname}`, ...handshake, key, '', ''].join('\r\n'))
    expect(String((await once(tab, 'data'))[0])).toContain('101 Switching Protocols')
    tab.resetAndDestroy()

    // The same once more in this folder: one line says so, and it ends.
    const second = project.start('dev.ts', { PORT: String(port) })
    expect(await second.ended).toBe(1)
    expect(second.printed().match(inUse)).toEqual([expect.stringContaining('Stop that process first')])
    expect(second.printed()).not.toContain('    at ')

    const throwing = `import { agent } from 'bridle'
export default agent({ name: 'helper', run: () => { throw new Error('no shelf') } })\n`
    project.edit('agents/helper.ts', () => throwing)
    await dev.until('agents/helper.ts changed')
    await ask(port, 'Hello')
    await dev.until('Error: no shelf')
    await dev.until('> 2 | export default agent')
    expect(dev.printed()).not.toMatch(/at .*(node_modules|packages\/bridle)/)
    expect(await dev.stop()).toBe(0)
    expect(dev.printed()).not.toContain('ws proxy')
  })

  test('the page talks to the server that was started, also at a port of the settings', async () => {
    const port = await freePort()
    project.edit('bridle.config.ts', (text) => text.replace('? {} : {', `? { port: ${port} } : {`))
    const dev = project.start('dev.ts')
    await dev.until(`Bridle is ready at http://127.0.0.1:${port}\n`)
    const { host } = new URL(await pageOf(dev))
    const client = new HarnessClient({ url: `ws://${host}/ws?userId=ann&agent=scripted` })
    await client.submit('Hello')
    await dev.until(/✓ scripted .* completed/)
    client.close()
    expect(await dev.stop()).toBe(0)
  })

  test('a bridle that is not installed is one line', async () => {
    const dev = project.start('dev.ts', { PATH: '/nowhere' })
    expect(await dev.ended).toBe(1)
    expect(dev.printed()).toContain('bridle could not start: spawn bridle ENOENT. Run npm install first.\n')
    expect(dev.printed()).not.toContain('    at ')
  })

  test('a port that another program has is one line', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const dev = project.start('dev.ts', { PORT: String(port) })
    expect(await dev.ended).toBe(1)
    other.close()
    expect(dev.printed().match(inUse)).toEqual([`bridle: Port ${port} is in use; choose another with --port.`])
    expect(dev.printed()).not.toContain('    at ')
  })
})
