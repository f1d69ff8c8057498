// `bridle dev` in a project in which an agent works in place, with real commands in a real sandbox.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sandboxUser } from '@bridle/runners/sandboxes/isolation/sandbox-user'
import { forgetTrustedFiles, trustedFiles } from '@bridle/server/agents/trust/trusted-files'
import { get, post } from '@bridle/surfaces/http/test-client.suite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { CliWorkspace } from '../cli.suite.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 })

const source = (path: string) => new URL(`../../../${path}`, import.meta.url).href
const CODER = `import { agent } from '${source('bridle/src/index.ts')}'
import { scriptedModel } from '${source('agents/src/testing/index.ts')}'
import { workspace } from '${source('workspace/src/index.ts')}'
const model = scriptedModel(({ prompt, results }) =>
  results.length > 0 ? JSON.stringify(results.map(({ output }) => output)) : { calls: [{ tool: 'shell', input: { command: prompt } }] })
export default agent({ name: 'coder', model, tools: [workspace({ shell: 'sandboxed' })] })
`
const TELLER = `import { agent } from '${source('bridle/src/index.ts')}'
import { answer } from '../lib/answer.ts'
export default agent({ name: 'teller', run: () => answer })
`

let work: CliWorkspace
let project: string
beforeEach(() => {
  work = new CliWorkspace()
  project = realpathSync(work.folder)
  for (const folder of ['agents', 'lib']) mkdirSync(join(project, folder))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'agents/coder.ts'), CODER)
  writeFileSync(join(project, 'agents/teller.ts'), TELLER)
  writeFileSync(join(project, 'lib/answer.ts'), `export const answer = 'of the person'\n`)
  execFileSync('git', ['init', '--quiet', project])
  writeFileSync(join(project, '.gitignore'), '.bridle/\n')
  const user = sandboxUser()
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, project])
})
afterEach(() => work.remove())

const dev = async (...flags: string[]) => {
  const started = work.start(['dev', '--port', '0', ...flags])
  const ready = await started.until((line) => line.includes('ready at'))
  await started.until((line) => line.includes('is watched'))
  return { ...started, url: ready.split(' ').at(-1) ?? '' }
}
const run = async (url: string, command: string) => {
  const session = await post(`${url}/chat/sessions`, {
    agent: 'coder',
    workspace: { mode: 'in_place', source: project },
  })
  const { session_id: id } = session.body as { session_id: string }
  return { session, ...(await post(`${url}/agents/coder/${id}`, { prompt: command })) }
}
const ask = async (url: string, id: string) => (await post(`${url}/agents/teller/${id}`, { prompt: 'x' })).body
const status = () =>
  execFileSync('git', ['-C', project, '-c', 'safe.directory=*', 'status', '--porcelain', '-uall'], { encoding: 'utf8' })

describe.skipIf(needs('bubblewrap') !== null)('[C390] bridle dev', () => {
  test('[O74] [O76] loads nothing that an agent in place wrote, until a person confirms it', async () => {
    const first = await dev()
    const before = status()
    const nothing = await run(first.url, 'ls -A > /dev/null')
    expect([nothing.session.status, nothing.status]).toEqual([201, 200])
    // The sandbox goes behind its run, and its placeholders with it.
    await expect.poll(() => [status(), readdirSync(project).includes('.env')]).toEqual([before, false])

    const attack = [
      `(echo "process.env.SEEN = 1" > agents/zz.ts) 2>&1`,
      `(mv agents old && mkdir agents) 2>&1`,
      `(echo BRIDLE_URL=http://evil.example > .env) 2>&1`,
      `(echo "export default {}" > bridle.config.mjs) 2>&1`,
      `echo "export const answer = 'evil'" > lib/answer.ts`,
    ]
    const { body } = await run(first.url, attack.join('; '))
    expect(JSON.stringify(body)).toMatch(/Read-only file system.*busy.*[Dd]irectory/s)
    await first.until((line) => line.includes('lib/answer.ts changed while a session worked in place'))
    await first.until((line) => line.startsWith('? Changed while a session worked in place here, and not loaded:'))
    expect(readdirSync(join(project, 'agents'))).toEqual(['coder.ts', 'teller.ts'])
    // The folders that stood in for absent files go with the sandbox, soon after the turn.
    const present = () => ['.env', 'bridle.config.mjs'].filter((name) => existsSync(join(project, name)))
    await expect.poll(present, { timeout: 10_000 }).toEqual([])
    expect(await ask(first.url, 'one')).toMatchObject({ error: { message: expect.stringContaining('lib/answer.ts') } })
    first.process.kill('SIGKILL')
    await first.ended

    // Neither a restart nor a command with a server of its own.
    const second = await dev()
    expect(await ask(second.url, 'two')).toMatchObject({ error: { message: expect.stringContaining('lib/answer.ts') } })
    second.process.kill('SIGINT')
    await second.ended
    const own = await work.bridle(['run', 'teller', 'x', '--text'])
    expect([own.code, own.stdout + own.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining('--accept lib/answer.ts'),
    ])
    expect(own.code).not.toBe(0)

    const third = await dev('--accept', 'lib/answer.ts')
    expect(await ask(third.url, 'three')).toMatchObject({ result: 'evil' })
    expect(readFileSync(join(project, '.bridle/loaded-files.json'), 'utf8')).not.toContain('evil')
    third.process.kill('SIGINT')
    await third.ended
  })
})

test('[O75] without a sandbox, a session in place in the project is refused with the reason', async () => {
  work.env.BRIDLE_SANDBOX = 'process'
  const { url, process: server, ended } = await dev()
  const { session } = await run(url, 'true')
  expect([session.status, JSON.stringify(session.body)]).toEqual([
    400,
    expect.stringMatching(/nothing keeps an agent from changing them: .*BRIDLE_SANDBOX=process.*Use the mode write/),
  ])
  expect((await get(`${url}/sessions`)).status).toBe(200)
  server.kill('SIGINT')
  await ended
})

test('[C390] no verb runs a settings file, or what it imports, that changed in that time', async () => {
  const config = `import { port } from './port.ts'\nexport default { port }\n`
  const write = (file: string, text: string) => writeFileSync(join(project, file), text)
  write('port.ts', 'export const port = 4400\n')
  write('bridle.config.ts', config)
  const files = ['port.ts', 'bridle.config.ts'].map((file) => join(project, file))
  const trust = trustedFiles(join(project, '.bridle'))
  trust.own([])
  for (const file of files) trust.check(file, readFileSync(file))
  const end = trust.begin(project)
  write('port.ts', `console.log('RUNS'); export const port = 6666\n`)
  write('bridle.config.ts', `console.log('RUNS')\n${config}`)
  end()
  forgetTrustedFiles(join(project, '.bridle'))
  const refused = async (file: string, ...args: string[]) => {
    const { code, stdout, stderr } = await work.bridle(args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${file} changed while a session worked in place`)])
    expect(stdout).not.toContain('RUNS')
  }
  await refused('bridle.config.ts', 'doctor')
  await refused('port.ts', 'start', '--port', '0', '--accept', 'bridle.config.ts')
  const { url, process: server, ended } = await dev('--accept', 'port.ts')
  expect((await get(`${url}/health`)).status).toBe(200)
  server.kill('SIGINT')
  await ended
})
