import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentInfo, acceptPrompt } from '@bridle/kernel/agent-info'
import type { Key } from '@bridle/kernel/event'
import { puppetEngine } from '@bridle/runners/engines/puppet.suite'
import { SandboxRunner } from '@bridle/runners/server/sandbox-runner'
import { fetchedWorkspaceFiles, type RunnerAnswer } from '@bridle/surfaces/http/workspaces/fetched-workspace-files'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { workFolderFiles } from '../../node/workspaces/work-folder-files.ts'
import { type ContainerStub, containerSandboxes } from './containers.ts'
import { sandboxFiles } from './sandbox-files.ts'

let folder: string
const running: SandboxRunner[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bridle-sandbox-files-'))
})
afterEach(async () => {
  for (const runner of running.splice(0)) await runner.close()
  rmSync(folder, { recursive: true, force: true })
})

const key = (id: string, agent = 'claude', tenant = 'one'): Key => ({ tenant, agent, id })
const tokenOf = async ({ tenant, id }: Key) => `token-of-${tenant}-${id}`
const agentOf = (name: string, runnerKind: AgentInfo['runnerKind']): AgentInfo => ({
  ...{ name, engine: name, runnerKind, description: name, webhook: false, needs: null, accept: acceptPrompt },
})
const agents = new Map([
  ['claude', agentOf('claude', 'bridge')],
  ['coder', agentOf('coder', 'in_process')],
])

/** A container per session, each with a real runner; `asked` has the requests that reached one. */
const containers = async (up: readonly Key[], hasFiles = true) => {
  const urls = new Map<string, string>()
  for (const each of up) {
    const work = join(folder, `${each.tenant}-${each.id}`)
    mkdirSync(work)
    const runner = await SandboxRunner.start({
      engines: [puppetEngine('claude')],
      workFolder: work,
      stateFolder: `${work}-state`,
      token: await tokenOf(each),
      ...(hasFiles && { workFiles: workFolderFiles(work) }),
    })
    running.push(runner)
    urls.set(`${each.tenant}/${each.agent}/${each.id}`, runner.url)
  }
  const asked: string[] = []
  const stub = (name: string): ContainerStub =>
    ({
      getState: async () => ({ status: urls.has(name) ? 'healthy' : 'stopped' }),
      fetch: async (request: Request) => {
        const { pathname, search } = new URL(request.url)
        asked.push(`${name} ${pathname}`)
        return fetch(`${urls.get(name)}${pathname}${search}`, { headers: request.headers })
      },
    }) as unknown as ContainerStub
  const namespace = { idFromName: (name: string) => name, get: (id: unknown) => stub(String(id)) }
  const provider = containerSandboxes(namespace as never, tokenOf)
  return { files: sandboxFiles(provider, agents), asked }
}

test('[H84] the files of three sessions of two tenants are those of their own containers, and no container is started', async () => {
  const [one, two, asleep] = [key('s'), key('s', 'claude', 'two'), key('asleep')]
  const { files, asked } = await containers([one, two])
  writeFileSync(join(folder, 'one-s', 'a.txt'), 'one\ntwo\n')
  mkdirSync(join(folder, 'two-s', 'src'))
  writeFileSync(join(folder, 'two-s', 'src', 'b'), Buffer.from([0]))
  symlinkSync(join(folder, 'one-s'), join(folder, 'two-s', 'out'))
  const change = (path: string, more: object) => ({ path, kind: 'file', status: 'added', ...more })
  expect(await files.compare(one)).toEqual({
    kind: 'empty',
    is_available: true,
    is_compared: true,
    changes: [change('a.txt', { additions: 2, deletions: 0, is_binary: false })],
    truncated: false,
  })
  expect(await files.compare(two)).toMatchObject({
    changes: [change('out', { kind: 'link' }), change('src/b', { additions: null, deletions: null, is_binary: true })],
  })
  expect(await files.list(two, 'src')).toMatchObject({ path: 'src', entries: [{ name: 'b', size: 1 }] })
  expect(await files.read(one, 'a.txt', 'current')).toMatchObject({ text: 'one\ntwo\n' })
  expect(await files.read(one, 'a.txt', 'source')).toMatchObject({ refused: 'not_found' })
  expect(await files.read(two, 'out/a.txt', 'current')).toMatchObject({ refused: 'not_found' })
  expect(await files.read(two, '../one-s/a.txt', 'current')).toMatchObject({ refused: 'bad_path' })
  expect(await files.compare(asleep)).toMatchObject({
    is_available: false,
    reason: expect.stringContaining('not awake'),
  })
  expect(await files.list(asleep, '')).toMatchObject({ refused: 'not_found' })
  expect(await files.compare(key('s', 'coder'))).toMatchObject({ is_available: false })
  expect(asked.filter((each) => each.includes('asleep') || each.includes('coder'))).toEqual([])
})

test('[H84] a runner that shows no files is an answer', async () => {
  const { files } = await containers([key('s')], false)
  expect(await files.compare(key('s'))).toMatchObject({ is_available: false, changes: [] })
  expect(await files.read(key('s'), 'a', 'current')).toMatchObject({ refused: 'not_found' })
})

test.each<[string, RunnerAnswer]>([
  ['no JSON', { status: 200, text: '<html>' }],
  ['another shape', { status: 200, text: '{"changes":"many"}' }],
  ['a path that is no text', { status: 200, text: '{"path":{},"entries":[],"truncated":false}' }],
  ['an error', { status: 500, text: '{"error":{"message":"<b>call this number</b>"}}' }],
  ['a redirect', { status: 302, text: '' }],
])('[H88] what a hostile runner says about files is not passed on: %s', async (_name, answer) => {
  const files = fetchedWorkspaceFiles(async () => answer)
  const answers = [
    await files.compare(key('s')),
    await files.list(key('s'), ''),
    await files.read(key('s'), 'a', 'current'),
  ]
  for (const each of answers) expect(each).toMatchObject({ refused: 'busy' })
  expect(JSON.stringify(answers)).not.toContain('call this number')
})
