// A copy of a data folder, made while its server works, and served afterwards.
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HarnessServer } from '@bridle/server/node/index'
import { afterEach, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'

let work: CliWorkspace | null = null
const servers: HarnessServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  work?.remove()
  work = null
})

const startIn = async (data: string): Promise<HarnessServer> => {
  const server = await HarnessServer.start({ port: 0, data, log: () => {} })
  servers.push(server)
  return server
}

const ask = async ({ url }: HarnessServer, id: string, script: readonly object[], isAsync = false) => {
  const body = JSON.stringify({ prompt: `@script ${JSON.stringify(script)}` })
  const headers = isAsync ? { prefer: 'respond-async' } : {}
  return fetch(`${url}/agents/scripted/${id}`, { method: 'POST', body, headers })
}

const approvalsOf = async ({ url }: HarnessServer) =>
  ((await (await fetch(`${url}/approvals`)).json()) as { approvals: { id: string; sessionId: string }[] }).approvals

test('[C220] three sessions are in the copy as they were, an approval among them, and go on there', async () => {
  work = new CliWorkspace()
  const server = await startIn(join(work.folder, 'data'))
  await ask(server, 'one', [{ text: 'First.' }])
  await ask(server, 'two', [{ text: 'Second.' }])
  const waiting = ask(server, 'three', [{ approve: 'write_file', args: { path: 'a' } }, { text: 'Done.' }])
  await expect.poll(() => approvalsOf(server)).toHaveLength(1)
  mkdirSync(join(work.folder, 'data', 'programs'))
  writeFileSync(join(work.folder, 'data', 'programs', 'engine'), '', { mode: 0o111 })
  const { code, stderr } = await work.bridle(['backup', 'copy', '--data', 'data'])
  expect([code, stderr]).toEqual([0, ''])
  // The copy has nothing of what happens later.
  await ask(server, 'one', [{ text: 'Later.' }])

  const copy = await startIn(join(work.folder, 'copy'))
  const textOf = async (id: string) => (await fetch(`${copy.url}/sessions/${id}`)).text()
  expect(existsSync(join(work.folder, 'copy', 'programs'))).toBe(false)
  expect(await textOf('one')).toContain('First.')
  expect(await textOf('one')).not.toContain('Later.')
  expect(await textOf('two')).toContain('Second.')
  const [approval] = await approvalsOf(copy)
  expect(approval).toEqual((await approvalsOf(server))[0])
  await fetch(`${copy.url}/sessions/three/approvals/${approval?.id}/approve`, { method: 'POST', body: '{}' })
  await expect.poll(() => textOf('three')).toContain('Done.')
  expect(await approvalsOf(server)).toHaveLength(1)
  for (const file of ['secret', 'bridle.sqlite'])
    expect([file, statSync(join(work.folder, 'copy', file)).mode & 0o077]).toEqual([file, 0])
  await fetch(`${server.url}/sessions/three/approvals/${approval?.id}/reject`, { method: 'POST', body: '{}' })
  await waiting
})

test('[C220] a folder that exists, one inside of the data, and one without data are named', async () => {
  work = new CliWorkspace()
  await startIn(join(work.folder, 'data'))
  symlinkSync('data', join(work.folder, 'link'))
  const cases: [string[], string][] = [
    [['backup', 'data', '--data', 'data'], 'data exists. Name a folder that does not.'],
    [['backup', 'data/copy', '--data', 'data'], 'data/copy is inside of the data folder. Name one outside.'],
    [['backup', 'data/..copy', '--data', 'data'], 'data/..copy is inside of the data folder. Name one outside.'],
    [['backup', 'link/copy', '--data', 'data'], 'link/copy is inside of the data folder. Name one outside.'],
    [['backup', 'copy', '--data', 'nowhere'], 'There is no data of a server in'],
  ]
  for (const [args, problem] of cases) {
    const { code, stderr } = await work.bridle(args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  }
  expect(existsSync(join(work.folder, 'copy'))).toBe(false)
})

test('[C220] the copy is for its owner alone, follows no link of an agent, and no program in it runs as its owner', async () => {
  work = new CliWorkspace()
  const files = join(work.folder, 'data/workspaces/w')
  await startIn(join(work.folder, 'data'))
  mkdirSync(files, { recursive: true })
  writeFileSync(join(files, 'program'), '#!/bin/sh\n')
  chmodSync(join(files, 'program'), 0o6755)
  symlinkSync('/etc', join(files, 'out'))
  // A folder that somebody has beside the target stays as it is.
  mkdirSync(join(work.folder, 'copy.partial'))
  writeFileSync(join(work.folder, 'copy.partial/mine'), 'mine')
  const { code, stderr } = await work.bridle(['backup', 'copy', '--data', 'data'])
  expect([code, stderr]).toEqual([0, ''])
  const copy = join(work.folder, 'copy')
  expect(statSync(copy).mode & 0o077).toBe(0)
  expect(statSync(join(copy, 'workspaces/w/program')).mode & 0o7777).toBe(0o755)
  expect(lstatSync(join(copy, 'workspaces/w/out')).isSymbolicLink()).toBe(true)
  expect(readdirSync(join(work.folder, 'copy.partial'))).toEqual(['mine'])
  expect(readdirSync(work.folder).filter((name) => name.includes('partial'))).toEqual(['copy.partial'])
})
