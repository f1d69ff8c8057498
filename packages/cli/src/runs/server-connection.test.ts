// A server that a person named and that cannot be reached: the work must not run on this machine instead.
import { readdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { explainError } from '../errors/explain-error.ts'
import { createOutput } from '../terminal/output.ts'
import { type VerbWorld, verbWorld } from '../verb-calls.suite.ts'
import { connectOrStart } from './server-connection.ts'

let world: VerbWorld
beforeAll(async () => {
  world = await verbWorld()
})
afterAll(() => world.close())

const refused = () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }))
beforeEach(() => void vi.stubGlobal('fetch', refused))
afterEach(() => void vi.unstubAllGlobals())

const url = 'http://127.0.0.1:5599'
const sentence = `No Bridle answers at ${url}: connection refused. Start one with bridle start --port 5599, or name the server with --url.`

test.each([
  ['run', 'scripted', 'hi'],
  ['run', 'scripted', 'hi', '--id', 'a'],
  ['run', 'scripted', 'hi', '--background'],
  ['run', 'scripted', 'hi', '--workspace', '.'],
  ['chat', 'scripted'],
  ['chat', 'scripted', '--continue'],
  ['apply', 's'],
  ['attach', 's'],
  ['sessions'],
  ['health', '-w'],
  ['open', '--print'],
])('[C7] %s %s ends where the server of --url does not answer, and starts none', async (...argv) => {
  const before = readdirSync(world.folder)
  const ended = { code: 1, stdout: '', notes: sentence }
  expect(await world.text(...argv, '--url', url)).toEqual(ended)
  if (argv[0] !== 'chat') expect(await world.json(...argv, '--url', url)).toEqual(ended)
  expect(readdirSync(world.folder)).toEqual(before)
})

test('[C7] a server of BRIDLE_URL is named as well, also one elsewhere', async () => {
  for (const named of [url, 'https://agents.example'])
    await expect(
      connectOrStart({ data: world.folder }, { BRIDLE_URL: named }, createOutput({ json: true })).catch(explainError),
    ).resolves.toMatchObject({
      code: 1,
      message: expect.stringContaining(`No Bridle answers at ${named}: connection refused. Start one`),
    })
})

test('[C14] for doctor such a server is a fault', async () => {
  const { code, stdout } = await world.json('doctor', '--url', url)
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining(JSON.stringify({ check: 'server', state: 'wrong', detail: sentence })),
  ])
})
