import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@bridle/surfaces/http/test-client.suite'
import { afterAll, expect, test } from 'vitest'
import { saveBuildManifest } from './build-manifests.ts'
import { HarnessServer } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-builds-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('[H25] /builds lists what was built into folders that are still there, newest first', async () => {
  const data = join(folder, 'data')
  const server = await HarnessServer.start({ port: 0, data, agentsRoot: folder, log: () => {}, env: {} })
  const listed = async () => (await get(`${server.url}/builds`)).body.builds as { id: string; createdAt: string }[]
  expect(await listed()).toEqual([])
  const build = (name: string, at: number) => {
    mkdirSync(join(folder, name), { recursive: true })
    saveBuildManifest(data, join(folder, name), { target: 'cloudflare', agents: ['one', 'two'], size: '10 KiB' }, at)
  }
  build('first', 1_000)
  build('second', 2_000)
  build('third', 3_000)
  build('first', 4_000)
  expect((await listed()).map(({ createdAt }) => Date.parse(createdAt))).toEqual([4_000, 3_000, 2_000])
  expect((await listed())[0]).toEqual({
    id: expect.stringMatching(/^build-[0-9a-f]{16}$/),
    target: 'cloudflare',
    createdAt: '1970-01-01T00:00:04.000Z',
    folder: expect.stringMatching(/first$/),
    agents: ['one', 'two'],
    size: '10 KiB',
  })
  rmSync(join(folder, 'third'), { recursive: true })
  const [newest, older] = await listed()
  writeFileSync(join(data, 'builds', `${older?.id}.json`), '{ half')
  writeFileSync(join(data, 'builds', 'stray.txt'), 'no build')
  expect(await listed()).toEqual([newest])
  await server.close()
})

test('[H25] /builds has the builds of the project, too, whichever data folder the server has', async () => {
  const agentsRoot = join(folder, 'project')
  const built = join(agentsRoot, 'dist')
  mkdirSync(built, { recursive: true })
  const save = (data: string, at: number) =>
    saveBuildManifest(data, built, { target: 'cloudflare', agents: ['one'], size: '10 KiB' }, at)
  save(join(agentsRoot, '.bridle'), 1_000)
  const data = join(folder, 'elsewhere')
  const options = { port: 0, data, agentsRoot, log: () => {}, env: {} }
  const server = await HarnessServer.start(options)
  const listed = async () => {
    const { builds } = (await get(`${server.url}/builds`)).body as { builds: { createdAt: string }[] }
    return builds.map(({ createdAt }) => Date.parse(createdAt))
  }
  expect(await listed()).toEqual([1_000])
  // The same folder, built again with --data: the newest build is the one that is there.
  save(data, 2_000)
  expect(await listed()).toEqual([2_000])
  save(join(agentsRoot, '.bridle'), 3_000)
  expect(await listed()).toEqual([3_000])
  await server.close()
})
