// The example on a real server, with real files and, where bubblewrap works, real commands.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isIdle, post, readFrames } from '@bridle/surfaces/http/test-client.suite'
import { startDevServer } from 'bridle/node'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { needs } from '../../scripts/needs.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'bridle-coder-'))
const project = join(folder, 'project')
let server: Awaited<ReturnType<typeof startDevServer>>

beforeAll(async () => {
  vi.stubEnv('BRIDLE_MODEL', '')
  vi.stubEnv('CODER_PROJECT', project)
  cpSync(join(here, 'project'), project, { recursive: true })
  const options = { port: 0, data: join(folder, 'data'), agentsRoot: here, env: {}, log: () => {}, tokenPaceMs: 0 }
  server = await startDevServer(options)
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(needs('bubblewrap'))("coder mends the project, with the README's own request", async () => {
  const readme = readFileSync(join(here, 'README.md'), 'utf8')
  const [, path = '', body = ''] = /4317(\/agents\/\S+) .*\\\n.* -d '(.*)'/.exec(readme) ?? []
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(readme)?.[1] ?? '')
  expect((await post(`${server.url}${path}`, JSON.parse(body))).body).toEqual(shown)
  expect(readFileSync(join(project, 'total.js'), 'utf8')).toContain('let index = 0;')

  const frames = await readFrames(`${server.url}${path}/stream`, isIdle)
  const results = frames.filter(({ data }) => data.type === 'tool_end').map(({ data }) => data.data)
  // The calls of one answer run at the same time, and end in any order.
  expect(results.sort(byCallId)).toMatchObject([
    { toolName: 'update_plan', result: { steps: [{ status: 'in_progress' }, {}, {}] } },
    { toolName: 'list_files', result: 'package.json\ntotal.js\ntotal.test.js' },
    { toolName: 'read_file', isError: false },
    { toolName: 'shell', result: { exit_code: 1 } },
    { toolName: 'update_plan', isError: false },
    { toolName: 'edit_file', result: { changed: true } },
    { toolName: 'shell', result: { exit_code: 0 } },
    { toolName: 'update_plan', isError: false },
    { toolName: 'ask_reviewer', result: 'Nothing is wrong with it.' },
    { toolName: 'update_plan', result: { steps: Array(3).fill({ status: 'done' }) } },
  ])
})

test('without bubblewrap coder has no shell, and mends the project all the same', async () => {
  cpSync(join(here, 'project'), project, { recursive: true })
  vi.stubEnv('PATH', join(folder, 'none'))
  const path = `${server.url}/agents/coder/second`
  expect((await post(path, { prompt: 'Mend it.' })).body.result).toBe('Done: total() now adds all prices.')
  expect(readFileSync(join(project, 'total.js'), 'utf8')).toContain('let index = 0;')
  const frames = await readFrames(`${path}/stream`, isIdle)
  expect(frames.filter(({ data }) => data.data?.toolName === 'shell')).toEqual([])
})

const byCallId = (one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): number =>
  String(one.toolCallId).localeCompare(String(other.toolCallId), 'en', { numeric: true })
