// `bridle start` with a store of another kind: the real command in real processes.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { CliWorkspace, freePort, parseJsonRows } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace()
  const memory = pathToFileURL(join(import.meta.dirname, '../../stores/memory/memory-store.ts')).href
  writeFileSync(
    join(work.folder, 'own.ts'),
    `import { memoryStore } from ${JSON.stringify(memory)}
     export default async ({ data }: { data: string }) => ({ name: 'own', ...memoryStore(), close: async () => {} })`,
  )
})
afterAll(() => work.remove())

const storeSeen = async (args: readonly string[], env = {}) => {
  const { stdout } = await work.bridle(['doctor', ...args], { env })
  return parseJsonRows(stdout).find(({ check }) => check === 'store')?.detail
}

test.each<[string, string[], NodeJS.ProcessEnv, string]>([
  ['memory by the flag', ['--store', 'memory'], { BRIDLE_STORE: 'sqlite' }, 'memory: sessions end with the server'],
  ['a module by the flag', ['--store', './own.ts'], {}, 'own'],
  ['memory by the environment', [], { BRIDLE_STORE: 'memory' }, 'memory: sessions end with the server'],
])('[C27] %s', async (name, args, env, detail) => {
  const data = name.replaceAll(' ', '-')
  const port = String(await freePort())
  const server = work.start(['start', '--port', port, '--data', data, ...args], { env })
  await server.until((line) => line.includes('ready at'))
  const url = `http://127.0.0.1:${port}`
  const { code, stdout } = await work.bridle(['run', 'scripted', 'hello', '--url', url])
  expect([code, stdout]).toEqual([0, expect.stringContaining('"status":"completed"')])
  // The server says which store it has, even if this caller's settings name another.
  expect(await storeSeen(['--url', url, '--data', data])).toBe(detail)
  server.process.kill('SIGTERM')
  expect((await server.ended).code).toBe(0)
  expect(readdirSync(join(work.folder, data)).filter((file) => file.startsWith('bridle.sqlite'))).toEqual([])
})

test('[C14] without a server doctor names the store that one would have', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  expect([
    await storeSeen(['--url', url]),
    await storeSeen(['--url', url, '--data', 'd2']),
    await storeSeen(['--url', url], { BRIDLE_STORE: './own.ts' }),
  ]).toEqual(['sqlite, in .bridle', 'sqlite, in d2', './own.ts'])
})
