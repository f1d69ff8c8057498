// The command without a server.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CliWorkspace, parseJsonRows } from './cli.suite.ts'
import { verbs } from './verbs.ts'

// Every step is a process of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
let work: CliWorkspace
beforeAll(() => {
  work = new CliWorkspace()
})
afterAll(() => work.remove())

test.each(['ts', 'mjs'])('[C101] a syntax error in bridle.config.%s has its place', async (ending) => {
  const name = `bridle.config.${ending}`
  const own = new CliWorkspace()
  writeFileSync(join(own.folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(own.folder, name), 'export default {\n  port: 4400,,\n}\n')
  const { code, stdout, stderr } = await own.bridle(['start'])
  await own.remove()
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(new RegExp(`^bridle: ${name} cannot be read: SyntaxError: .* \\(${name}:2:14\\)\\n$`))
})

// Usage errors of commands that listen for signals. command-line.test.ts has the others.
test.each<[string, string[], string]>([
  ['an unknown verb', ['sesions'], 'There is no "sesions". Did you mean bridle sessions?'],
  ['a port that is none', ['start', '--port', '70000'], '"70000" is not a port.'],
  [
    'a store that is none',
    ['start', '--store', 'postgres'],
    'There is no store "postgres". Take sqlite or memory, or the path of a module that opens one, such as ./store.ts.',
  ],
  ['a store that is not there', ['dev', '--store', './no.ts'], 'There is no file "./no.ts" to open a store with.'],
])('[C1] %s is a usage error in one line, and exit 2', async (_name, args, message) => {
  expect(await work.bridle(args)).toEqual({ code: 2, stdout: '', stderr: `bridle: ${message}\n` })
})

describe('[C2] help', () => {
  test('--help lists the verbs', async () => {
    const { code, stdout } = await work.bridle(['--help'])
    expect(code).toBe(0)
    for (const verb of Object.keys(verbs)) expect(stdout).toMatch(new RegExp(`^ {2}${verb}\\b`, 'm'))
  })

  test('--version is the package’s', async () => {
    expect((await work.bridle(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+$/)
  })
})

describe('[C4] without a server', () => {
  // Commands that read standard input or listen for signals. command-line.test.ts has the others.
  test.each([['sessions'], ['attach', 's'], ['import', '-'], ['logs', 's', '-f'], ['health', '-w']])(
    'bridle %s says that nobody answers, and ends with 1',
    async (...args) => {
      const { code, stdout, stderr } = await work.bridle([...args, '--url', 'http://127.0.0.1:1'])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^bridle: No Bridle answers at http:\/\/127\.0\.0\.1:1: bad port\. Start one with bridle start --port 1, or/,
      )
    },
  )

  test('a server elsewhere is not replaced by one here', async () => {
    const { code, stderr } = await work.bridle(['run', 'scripted', 'hi', '--url', 'http://bridle.invalid:4317'])
    // A resolver without a network gives another reason than one that asks.
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^bridle: No Bridle answers at http:\/\/bridle\.invalid:4317: .*host name.*\. Start one there, or name another server with --url\.\n$/,
      ),
    ])
  })

  test('something else that answers is not taken for Bridle', async () => {
    const other = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const args = ['--url', `http://127.0.0.1:${port}`]
    expect((await work.bridle(['run', 'scripted', 'hi', ...args])).stderr).toContain('is no Bridle server')
    const doctor = await work.bridle(['doctor', ...args])
    expect(doctor.code).toBe(1)
    expect(parseJsonRows(doctor.stdout)).toContainEqual(expect.objectContaining({ check: 'server', state: 'wrong' }))
    other.close()
  })
})

describe('[C14] doctor', () => {
  const engine = (name: string, detail: string) => ({ check: `engine ${name}`, state: 'note', detail })

  test('finds nothing wrong in an empty folder', async () => {
    const env = await work.unnamed()
    const { code, stdout } = await work.bridle(['doctor'], { env: { ...env, BRIDLE_ENGINES: '' } })
    expect(code).toBe(0)
    expect(parseJsonRows(stdout)).toEqual([
      { check: 'Node', state: 'ok', detail: process.versions.node },
      { check: 'data folder', state: 'ok', detail: '.bridle will be made' },
      { check: 'store', state: 'ok', detail: 'sqlite, in .bridle' },
      {
        check: 'server',
        state: 'ok',
        detail: expect.stringMatching(/^none at http:\/\/127\.0\.0\.1:\d+; the port is free$/),
      },
      { check: 'token', state: 'ok', detail: 'none; only this machine may ask' },
      engine('claude', 'Claude Code is not installed. Run: npm install @anthropic-ai/claude-agent-sdk'),
      engine('codex', 'Codex is not installed. Run: npm install @openai/codex'),
      { check: 'sandbox', state: expect.stringMatching(/^(ok|note)$/), detail: expect.any(String) },
      { check: 'agent assistant', state: 'note', detail: expect.stringMatching(/^not available: Set BRIDLE_MODEL=/) },
    ])
  })

  test('[O32] a data folder that is a file is wrong; a copy of a damaged log in it is named', async () => {
    writeFileSync(join(work.folder, 'file'), '')
    mkdirSync(join(work.folder, 'made'))
    const { code, stdout } = await work.bridle(['doctor', '--data', 'file', '--text'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ data folder +file cannot be used: it is not a folder/)
    writeFileSync(join(work.folder, 'made', 'bridle.sqlite-wal.damaged'), '')
    const made = (await work.bridle(['doctor', '--data', 'made', '--text'])).stdout
    expect(made).toContain('made is writable and free')
    // The text is wrapped, and where depends on the length of the folder's name.
    expect(made.replaceAll(/\s+/g, ' ')).toMatch(
      /! lost commits commits were lost by \d{4}-.*bridle\.sqlite-wal\.damaged is a copy/,
    )
  })
})

test('[C1] a flag that npm took for itself is answered with the call that passes it on', async () => {
  const called = async (env: NodeJS.ProcessEnv) =>
    (await work.bridle(['start', '4417'], { env: { npm_config_port: 'true', ...env } })).stderr
  expect(await called({ npm_lifecycle_event: 'start' })).toBe(
    'bridle: npm took --port for itself. Write: npm start -- --port 4417\n',
  )
  expect(await called({ npm_lifecycle_event: 'dev' })).toContain('Write: npm run dev -- --port 4417\n')
  expect(await called({ npm_lifecycle_event: 'start', npm_config_port: '' })).toContain('one argument too many')
})

test('[C2] on a Node that is too old the command says so, and loads nothing', () => {
  const bin = fileURLToPath(new URL('./bridle.ts', import.meta.url))
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })'
  const asked = (option = '', ...words: string[]) => {
    const args = [
      '--conditions=bridle-source',
      ...(option === '' ? [] : [option]),
      bin,
      ...(words.length > 0 ? words : ['--version']),
    ]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  expect(asked(`--import=data:text/javascript,${encodeURIComponent(older)}`)).toEqual({
    status: 1,
    stdout: '',
    stderr: `bridle: Node 22.18 or newer is needed; this is 20.19.0.
https://nodejs.org has it for the whole machine. For this project alone, run:
  npm install --save-dev node@24
`,
  })
  // A project that does not exist yet has no Node of its own.
  expect(asked(`--import=data:text/javascript,${encodeURIComponent(older)}`, 'init', 'agents').stderr).toBe(
    `bridle: Node 22.18 or newer is needed; this is 20.19.0.
https://nodejs.org has it for the whole machine. For this command alone, with the package that you have:
  npx -p node@24 -p ./bridle-VERSION.tgz bridle init agents
`,
  )
  expect(asked()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+/) })
  // Older versions of Node announce their experiments on the screen.
  const notices = `process.emitWarning = (text) => process.stderr.write(text)
    const announce = (name) => process.emitWarning(name + ' is an experimental feature and might change at any time')
    process.on('exit', () => ['SQLite', 'Type Stripping', 'Tomorrow'].forEach(announce))`
  expect(asked(`--import=data:text/javascript,${encodeURIComponent(notices)}`)).toMatchObject({
    status: 0,
    stderr: 'Tomorrow is an experimental feature and might change at any time',
  })
})

/** A checkout finds its own. */
const isInstalled = existsSync(new URL('../../../apps/worker/node_modules', import.meta.url))

test.skipIf(isInstalled).each([['dev'], ['build']])(
  '[C18] %s for Cloudflare says how to get wrangler',
  async (verb) => {
    expect(await work.bridle([verb, '--target', 'cloudflare'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'bridle: The Cloudflare target needs wrangler: npm install --save-dev wrangler@4.155.0\n',
    })
    expect(existsSync(join(work.folder, '.bridle/worker'))).toBe(false)
  },
)

test('[C18] a wrangler that is older than the tested one is refused, and not started', async () => {
  const own = new CliWorkspace()
  const wrangler = join(own.folder, 'node_modules/wrangler')
  mkdirSync(join(wrangler, 'bin'), { recursive: true })
  writeFileSync(join(wrangler, 'package.json'), JSON.stringify({ name: 'wrangler', version: '4.86.0' }))
  writeFileSync(join(wrangler, 'bin/wrangler.js'), `console.error('started'); process.exit(1)`)
  for (const verb of ['dev', 'build'])
    expect(await own.bridle([verb, '--target', 'cloudflare'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `bridle: The Cloudflare target needs wrangler 4.155.0 or newer, and 4.86.0 is installed: npm install --save-dev wrangler@4.155.0\n`,
    })
  expect(existsSync(join(own.folder, '.bridle/worker'))).toBe(false)
  await own.remove()
})

test('[C18] the version of wrangler that the pages name is the one that apps/worker pins', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const { wrangler } = JSON.parse(read('apps/worker/package.json')).devDependencies
  for (const page of ['docs/cloudflare.md', 'docs/cli.md'])
    expect(read(page)).toContain(`npm install --save-dev wrangler@${wrangler}`)
})
