// Real processes, and what the system shows of them to others.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROVIDER_SECRETS } from '@bridle/runners/credentials/providers'
import { settingRows, variablesOf } from '@bridle/server/settings'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CliWorkspace } from '../cli.suite.ts'
import { SERVER_SECRETS } from './sealed-environment.ts'

let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace({})
})
afterAll(() => work.remove())

const environmentOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/environ`, 'utf8')
/** Every variable of Bridle that holds a secret, by its name, and those of other programs. */
const secretNames = [
  ...new Set(
    [...settingRows.flatMap(variablesOf), ...PROVIDER_SECRETS].filter((name) => /_(KEY|TOKEN|SECRET)$/.test(name)),
  ),
  'CLAUDE_CODE_OAUTH_TOKEN',
]

test('[O14] every variable that holds a secret is sealed', () => {
  expect(secretNames.toSorted()).toEqual([...PROVIDER_SECRETS, ...SERVER_SECRETS].toSorted())
})

const leftBehind = () => readdirSync(tmpdir()).filter((name) => existsSync(join(tmpdir(), name, 'secrets.json')))

test.skipIf(!existsSync('/proc/self/environ'))(
  '[O14] a server takes its keys from its environment, where nobody finds them afterwards',
  async () => {
    const env = {
      ...Object.fromEntries(secretNames.map((name) => [name, `canary-of-${name}`])),
      FABRIC_HARNESS_API_TOKEN: 'canary-token',
      BRIDLE_SECRET: 'canary-secret-of-at-least-32-characters',
      HARMLESS: 'stays',
    }
    const server = work.start(['start', '--port', '0'], { env })
    const url = /http:\S+/.exec(await server.until((line) => line.includes('ready at')))?.[0] ?? ''
    const shown = environmentOf(server.process.pid)
    expect(shown).toContain('HARMLESS=stays')
    expect(shown).not.toContain('canary')
    expect(leftBehind()).toEqual([])
    const ask = async (token: string) =>
      (await fetch(`${url}/sessions`, { headers: { authorization: `Bearer ${token}` } })).status
    expect([await ask('wrong'), await ask('canary-token')]).toEqual([401, 200])
    const ready = await fetch(`${url}/ready`, { headers: { authorization: 'Bearer canary-token' } })
    expect(await ready.text()).not.toMatch(/Set (ANTHROPIC|OPENAI)_API_KEY/)
    server.process.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  },
)

test.skipIf(!existsSync('/proc/self/environ'))('[R7] so does a runner that is started by hand', async () => {
  const env = { ANTHROPIC_API_KEY: 'canary-key', BRIDLE_RUNNER_TOKEN: 'canary-token' }
  const runner = work.start(['runner', '--port', '0'], { env })
  const { url } = JSON.parse(await runner.until((line) => line.startsWith('{'))) as { url: string }
  expect(environmentOf(runner.process.pid)).not.toContain('canary')
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ hasAnthropicKey: true })
  expect((await fetch(`${url}/engines`)).status).toBe(401)
  runner.process.kill('SIGTERM')
  expect((await runner.ended).code).toBe(0)
})

test.skipIf(!existsSync('/proc/self/environ'))(
  '[O14] what a killed process left is removed at the next start, and of another folder only the named file',
  async () => {
    const left = mkdtempSync(join(tmpdir(), 'bridle-secrets-'))
    writeFileSync(join(left, 'secrets.json'), '{"ANTHROPIC_API_KEY":"canary-key"}')
    utimesSync(left, 0, 0)
    const folder = mkdtempSync(join(tmpdir(), 'bridle-named-'))
    for (const name of ['named.json', 'other']) writeFileSync(join(folder, name), '{}')
    for (const env of [{ ANTHROPIC_API_KEY: 'canary-key' }, { BRIDLE_SECRETS_FILE: join(folder, 'named.json') }]) {
      const runner = work.start(['runner', '--port', '0'], { env })
      await runner.until((line) => line.startsWith('{'))
      runner.process.kill('SIGTERM')
      expect((await runner.ended).code).toBe(0)
    }
    expect(existsSync(left)).toBe(false)
    expect(readdirSync(folder)).toEqual(['other'])
    rmSync(folder, { recursive: true })
  },
)

test.skipIf(!existsSync('/proc/self/environ'))(
  '[O14] so does a command that starts a server for itself, where an agent finds the keys of providers alone',
  async () => {
    mkdirSync(join(work.folder, 'agents'), { recursive: true })
    writeFileSync(
      join(work.folder, 'agents', 'peek.ts'),
      `import { readFileSync } from 'node:fs'
import { agent } from '${new URL('../../../bridle/src/index.ts', import.meta.url).href}'
export default agent({
  name: 'peek',
  run: () => JSON.stringify([readFileSync('/proc/self/environ', 'utf8'), process.env]),
})
`,
    )
    const env = {
      ...(await work.unnamed()),
      CLAUDE_CODE_OAUTH_TOKEN: 'canary-login',
      ANTHROPIC_API_KEY: 'canary-key',
      HARMLESS: 'stays',
    }
    const { code, stdout, stderr } = await work.bridle(['run', 'peek', 'x', '--text'], { env })
    expect([code, stderr]).toEqual([0, expect.stringContaining('starts a server')])
    const [started, now] = JSON.parse(stdout) as [string, NodeJS.ProcessEnv]
    expect(started).toContain('HARMLESS=stays')
    expect(started).not.toContain('canary')
    expect([now.ANTHROPIC_API_KEY, now.CLAUDE_CODE_OAUTH_TOKEN]).toEqual(['canary-key', undefined])
    expect(leftBehind()).toEqual([])
  },
)
