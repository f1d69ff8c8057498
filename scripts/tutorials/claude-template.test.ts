// The app of `bridle init --template claude`, with the scripted agent in the place of Claude Code.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@bridle/cli/cli.suite'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { launch } from '../../examples/chat/browser.suite.ts'
import { findChromium, needs } from '../needs.ts'
import { isThorough } from '../variants.ts'
import { TemplateProject } from './template-project.suite.ts'

vi.setConfig({ testTimeout: 90_000 })
const project = new TemplateProject('claude')
const repository = mkdtempSync(join(tmpdir(), 'bridle-repository-'))
writeFileSync(join(repository, 'README.md'), '# A project\n')
afterEach(() => project.end())
afterAll(() => {
  project.remove()
  rmSync(repository, { recursive: true, force: true })
})
const env = async (more: NodeJS.ProcessEnv = {}) => ({
  ...{ PORT: String(await freePort()), AGENT: 'scripted', REPOSITORY: repository },
  ...more,
})
const prompt = `@script ${JSON.stringify([
  { text: 'I write a file. ' },
  { approve: 'write_file', args: { path: 'a.txt' } },
  {
    event: {
      type: 'transport_diagnostic',
      payload: { status: 'degraded', kind: 'model', reason: 'The provider is busy' },
    },
  },
  { sleepMs: 1_500 },
  { text: 'Done.' },
])}`

test('[C110] the app of claude names what it serves, prints a line per run, and starts once in a folder', async () => {
  const variables = await env()
  const app = project.start('app.ts', variables)
  const address = `http://127.0.0.1:${variables.PORT}`
  await app.until(`The app is ready at ${address}. scripted works on ${repository}.`)
  const post = (path: string, body: object) => fetch(address + path, { method: 'POST', body: JSON.stringify(body) })
  const { id } = (await (await post('/tasks', { prompt })).json()) as { id: string }
  await app.until(`${id} waits for approval of write_file.`)

  const unknown = await fetch(`${address}/tasks/nobody/events`)
  expect([unknown.status, await unknown.text()]).toEqual([404, 'There is no task nobody.'])

  const second = project.start('app.ts', await env())
  expect(await second.ended).toBe(1)
  expect(second.printed()).toMatch(
    /^The app could not start: \S+\.bridle is in use by another process \(pid \d+\)\. Stop that process first, or .* \(--data\)\.\n$/,
  )

  const stream = await fetch(`${address}/tasks/${id}/events`)
  let events = ''
  for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) {
    events += piece
    const [, approvalId] = /"approvalId":"([^"]+)"/.exec(events) ?? []
    if (approvalId === undefined) continue
    await post(`/tasks/${id}/approvals/${approvalId}`, { approved: true })
    break
  }
  await app.until(`${id} completed.`)
  expect(await app.stop()).toBe(0)
})

test('[C110] the app of claude says that its repository is missing, and that its port is in use', async () => {
  const app = project.start('app.ts', await env({ REPOSITORY: '/nope' }))
  await app.until('There is no such folder: name your repository as REPOSITORY in .env.')
  expect(await app.stop()).toBe(0)
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const refused = project.start('app.ts', await env({ PORT: String(port) }))
  expect(await refused.ended).toBe(1)
  other.close()
  expect(refused.printed()).toMatch(/^The app could not start: .*EADDRINUSE.* PORT=… chooses another port\.\n$/)
})

test.skipIf(needs('chromium') !== null || !isThorough)(
  '[C110] the page of claude shows why a task waits, and at its end the command that brings its changes',
  async () => {
    const variables = await env()
    const app = project.start('app.ts', variables)
    await app.until('The app is ready')
    const browser = await launch(findChromium() as string)
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${variables.PORT}#nobody`)
      await page.getByText('There is no task nobody.').waitFor()
      await page.getByLabel('Task').fill(prompt)
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('The provider is busy').waitFor()
      const command = await page.getByText('npx bridle apply').textContent()
      expect(command).toContain(`stop the app and run: npx bridle apply ${new URL(page.url()).hash.slice(1)}`)
    } finally {
      await browser.close()
    }
  },
)
