// The Cloudflare target by its own tool: what would be deployed, and what runs on this machine.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { noTools, tools } from '@bridle/server/cloudflare/tests/workerd.suite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isThorough } from '../../../../scripts/variants.ts'
import { CliWorkspace, freePort, parseJsonRows } from '../cli.suite.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const entry = fileURLToPath(new URL('../../../bridle/src/index.ts', import.meta.url))

const THROWER = `import { agent } from '${entry}'
const brew = (): never => {
  throw new TypeError('no tea')
}
export default agent({ name: 'thrower', run: () => brew() })
`

describe.skipIf(noTools)('[C18] with wrangler', () => {
  let work: CliWorkspace
  const write = (answer: string) =>
    writeFileSync(
      join(work.folder, 'agents/greeter.ts'),
      `import { agent } from '${entry}'\nexport default agent({ name: 'greeter', run: () => '${answer}' })\n`,
    )

  /** apps/worker as it is in a fresh clone, once it is installed: its packages beside it, and Bridle not built. */
  const installed = (name: string): string => {
    const { folder } = tools as { folder: string }
    const app = join(work.folder, name, 'apps/worker')
    cpSync(join(root, 'apps/worker'), app, { recursive: true, filter: (path) => !path.includes('node_modules') })
    symlinkSync(join(root, 'apps/sandbox'), join(work.folder, name, 'apps/sandbox'))
    symlinkSync(join(root, 'packages'), join(work.folder, name, 'packages'))
    mkdirSync(join(app, 'node_modules/@cloudflare'), { recursive: true })
    for (const each of ['wrangler', '@cloudflare/containers'])
      symlinkSync(join(folder, 'node_modules', each), join(app, 'node_modules', each))
    return app
  }
  const deploy = (app: string, file: string, ...args: string[]): string =>
    execFileSync(process.execPath, [file, ...args, '--dry-run', '--minify', '--outdir', 'out'], {
      cwd: app,
      env: work.env,
      encoding: 'utf8',
    })

  beforeAll(() => {
    const { folder } = tools as { folder: string }
    work = new CliWorkspace({ PATH: `${join(folder, 'node_modules/.bin')}${delimiter}${process.env.PATH}` })
    mkdirSync(join(work.folder, 'agents'))
    write('hello')
    writeFileSync(join(work.folder, 'agents/thrower.ts'), THROWER)
  })
  afterAll(() => work?.remove())

  test('build makes a Worker of agents/, small enough to start at once', async () => {
    writeFileSync(join(work.folder, 'agents/broken.ts'), `throw new Error('no key')`)
    const { code, stdout, stderr } = await work.bridle(['build', '--target', 'cloudflare', '--data', 'data'])
    rmSync(join(work.folder, 'agents/broken.ts'))
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('left out: agents/broken.ts: Error: no key')
    expect(stdout).toMatch(/^dist\/worker: .* \/ gzip: /m)
    const bundle = readFileSync(join(work.folder, 'dist/worker/index.js'))
    expect(bundle.toString()).toContain('greeter')
    // A sentence of `bridle/testing`, which is for tests alone.
    expect(bundle.toString()).not.toContain('The script has no answer')
    // The smallest plan of Cloudflare takes 3 MB. This finds a package too many, not a line: it is not minified, and has the runtime of model agents.
    expect(gzipSync(bundle).byteLength).toBeLessThan(550 * 1024)
    const [manifest = ''] = readdirSync(join(work.folder, 'data/builds'))
    expect(JSON.parse(readFileSync(join(work.folder, 'data/builds', manifest), 'utf8'))).toMatchObject({
      ...{ target: 'cloudflare', folder: 'dist/worker', agents: ['greeter', 'thrower'] },
    })
    // An import of a Node module would fail in the deployed Worker only.
    expect(bundle.toString()).not.toMatch(/from\s*["']node:/)
    // [CF18] Without a web app beside agents/ it is the one of this repository, which is built where it is not current.
    const { assets } = JSON.parse(readFileSync(join(work.folder, 'data/worker/wrangler.jsonc'), 'utf8'))
    expect(assets).toEqual({ directory: join(root, 'apps/cockpit/dist'), binding: 'ASSETS', run_worker_first: true })
    expect(existsSync(join(assets.directory, 'index.html'))).toBe(true)
  })

  if (isThorough)
    test('what build says to deploy can be, with agents that import what builds them', async () => {
      const { folder } = tools as { folder: string }
      mkdirSync(join(work.folder, 'node_modules'))
      symlinkSync(join(root, 'packages/bridle'), join(work.folder, 'node_modules/bridle'))
      writeFileSync(
        join(work.folder, 'agents/importer.ts'),
        `import { agent } from 'bridle'\nimport { isEvent } from 'bridle/client'\nexport default agent({ name: 'importer', run: () => typeof isEvent })\n`,
      )
      const { code, stdout } = await work.bridle(['build', '--target', 'cloudflare', '--data', 'data'])
      expect(stdout).toMatch(/^agents: .*\bimporter\b/m)
      const [, config = ''] = /^deploy it: npx wrangler deploy --config (.*)$/m.exec(stdout) ?? []
      const said = deploy(
        work.folder,
        join(folder, 'node_modules/wrangler/bin/wrangler.js'),
        'deploy',
        '--config',
        config,
      )
      for (const each of ['agents/importer.ts', 'node_modules']) rmSync(join(work.folder, each), { recursive: true })
      expect([code, said]).toEqual([0, expect.stringContaining('HarnessSession')])
    })

  if (isThorough)
    test('a checkout finds the wrangler of its apps/worker', () => {
      const { folder } = tools as { folder: string }
      const checkout = join(work.folder, 'checkout')
      cpSync(join(root, 'packages'), join(checkout, 'packages'), { recursive: true })
      linkModules(checkout)
      mkdirSync(join(checkout, 'apps/worker'), { recursive: true })
      const build = () =>
        spawnSync(
          process.execPath,
          ['--conditions=bridle-source', 'packages/cli/src/main.ts', 'build', '--target', 'cloudflare'],
          { cwd: checkout, env: { ...work.env, PATH: process.env.PATH }, encoding: 'utf8' },
        )
      expect(build().stderr).toContain('The Cloudflare target needs wrangler')
      symlinkSync(join(folder, 'node_modules'), join(checkout, 'apps/worker/node_modules'))
      const built = { status: 0, stderr: '', stdout: expect.stringContaining('\nNo agents were found: ') }
      expect(build()).toMatchObject(built)
    })

  /** The modules of this checkout, with the packages of the other one. */
  const linkModules = (checkout: string) => {
    const [ours, theirs] = [join(root, 'node_modules'), join(checkout, 'node_modules')]
    mkdirSync(join(theirs, '@bridle'), { recursive: true })
    for (const name of readdirSync(ours))
      if (name !== '@bridle' && name !== 'bridle') symlinkSync(join(ours, name), join(theirs, name))
    for (const name of readdirSync(join(ours, '@bridle')))
      symlinkSync(join(checkout, 'packages', name), join(theirs, '@bridle', name))
    symlinkSync(join(checkout, 'packages/bridle'), join(theirs, 'bridle'))
  }

  /** Three sessions at once: one waits for an approval while another fails, each with lines of its own. */
  const expectRunLines = async (dev: ReturnType<CliWorkspace['start']>) => {
    const ask = (path: string, body: object) =>
      fetch(`${work.url}${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const script = [{ approve: 'write_file', args: { path: 'a.txt' }, reason: 'It changes a file.' }, { text: 'Done.' }]
    const waits = ask('/agents/scripted/waits', { prompt: `@script ${JSON.stringify(script)}` })
    const command = await dev.until((line) => line.includes('scripted  waits  waits for approval of write_file'))
    const fails = ask('/agents/thrower/fails', { prompt: 'x' })
    const greets = ask('/agents/greeter/greets', { prompt: 'x' })
    await dev.until((line) => /^✓ greeter {2}greets {2}completed in /.test(line))
    await dev.until((line) => /^✗ thrower {2}fails {2}failed: no tea \(/.test(line))
    expect(dev.lines.some((line) => line.includes('scripted  waits  completed'))).toBe(false)
    // [C18] The printed command leads to this server.
    expect(dev.lines.join(' ')).toMatch(new RegExp(`approve waits apr-\\S+ +--url ${work.url}`))
    const [, approvalId = ''] = /(apr-\S+)/.exec(`${command} ${dev.lines.join(' ')}`) ?? []
    await ask(`/sessions/waits/approvals/${approvalId}/approve`, { decision: 'approved' })
    await dev.until((line) => /^✓ scripted {2}waits {2}completed in /.test(line))
    await Promise.all([waits, fails, greets])
    const failure = dev.lines.slice(dev.lines.findIndex((line) => line.startsWith('✗ thrower threw, session fails')))
    expect(failure.slice(1, 4)).toEqual([
      '  TypeError: no tea',
      '    at brew (agents/thrower.ts:3:9)',
      '    at Object.run (agents/thrower.ts:5:52)',
    ])
    expect(failure).toContain("  > 3 |   throw new TypeError('no tea')")
    // The same error is not also in the words of the runtime.
    expect(dev.lines.join('\n')).not.toContain('the agent threw')
  }

  /** The web app is at every address of it, and no file of it is in the way of a route. */
  const expectPages = async (url: string) => {
    const ask = async (path: string, accept = '*/*', method = 'GET') => {
      const answer = await fetch(`${url}${path}`, { method, headers: { accept } })
      return [answer.status, answer.headers.get('content-type')?.split(';')[0] ?? null, await answer.text()]
    }
    const message = 'There is no such path. GET /docs shows all of them.'
    const none = [404, 'application/json', `${JSON.stringify({ error: 'Not found', message })}\n`]
    const page = [200, 'text/html', '<h1>cockpit</h1>']
    expect(await ask('/')).toEqual(page)
    expect(await ask('/', '*/*', 'HEAD')).toEqual([200, 'text/html', ''])
    expect(await ask('/assets/app.js')).toEqual([200, 'text/javascript', 'run()'])
    expect(await ask('/runs/7', 'text/html')).toEqual(page)
    expect(await ask('/runs/7')).toEqual(none)
    expect(await ask('/assets/gone.js', 'text/html')).toEqual(none)
    expect(await ask('/', '*/*', 'POST')).toEqual(none)
    expect((await ask('/sessions', 'text/html'))[0]).toBe(401)
    expect(await ask('/sessions/x/y/z', 'text/html')).toEqual(none)
    expect((await ask('/health'))[2]).not.toContain('shadow')
    for (const path of ['/docs/more.txt', '//docs/more.txt', '/%61gents/more.txt', '/agents%2fmore.txt', '/docs/x'])
      expect([path, await ask(path, 'text/html')]).toEqual([path, none])
    expect((await ask('/credentials', 'text/html')).slice(0, 2)).toEqual([404, 'application/json'])
    const { headers } = await fetch(url)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const again = await fetch(url, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  }

  const writeWebApp = () => {
    const files = join(work.folder, 'apps/cockpit/dist')
    mkdirSync(join(files, 'assets'), { recursive: true })
    mkdirSync(join(files, 'agents'))
    writeFileSync(join(files, 'index.html'), '<h1>cockpit</h1>')
    writeFileSync(join(files, 'assets/app.js'), 'run()')
    writeFileSync(join(files, 'health'), 'shadow')
    mkdirSync(join(files, 'docs'))
    for (const file of ['docs/more.txt', 'agents/more.txt']) writeFileSync(join(files, file), 'shadow')
  }

  test('[CF18] [C240] dev serves agents/ in the real runtime, keeps its sessions beside the data, and takes the web app along where it was built; the routes stay what they are', async () => {
    const port = String(await freePort())
    const args = ['dev', '--target', 'cloudflare', '--port', port, '--data', 'data']
    for (const turn of ['first', 'second']) {
      if (turn === 'second') writeWebApp()
      const dev = work.start(args, { env: { FABRIC_HARNESS_API_TOKEN: 'secret' } })
      const ready = await dev.until((line) => line.includes('ready at'))
      work.url = ready.split(' ').at(-1) ?? ''
      expect((await fetch(`${work.url}/sessions`)).status).toBe(401)
      const asked = await work.bridle(['run', 'greeter', 'hi', '--id', turn], {
        env: { FABRIC_HARNESS_API_TOKEN: 'secret' },
      })
      expect(parseJsonRows(asked.stdout).at(-1)?.result).toBe('hello')
      const listed = await fetch(`${work.url}/sessions`, { headers: { authorization: 'Bearer secret' } })
      const { sessions } = (await listed.json()) as { sessions: unknown[] }
      expect(sessions).toHaveLength(turn === 'first' ? 1 : 5)
      if (turn === 'second') await expectPages(work.url)
      // A second server at the port says so, and does not take the first one for its own.
      if (turn === 'second') {
        const { code, stdout, stderr } = await work.bridle([...args, '--data', 'other'])
        const problem = `bridle: Port ${port} is in use by another Bridle. Stop that one first, or choose another port with --port.\n`
        expect([code, stdout, stderr]).toEqual([1, '', problem])
      }
      if (turn === 'first') await expectRunLines(dev)
      // [C128] A broken edit is said with its place, and so is a mended one, which runs then.
      if (turn === 'first') {
        await dev.until((line) => line.includes('agents/ is watched'))
        expect(dev.lines.join('\n')).toContain('agents    greeter, thrower, scripted')
        writeFileSync(join(work.folder, 'agents/greeter.ts'), 'export default {\n  a: (1 +\n}\n')
        await dev.until((line) => line.includes('agents/greeter.ts is not available: SyntaxError'))
        await dev.until((line) => line.includes('> 3 | }'))
        write('hello')
        await dev.until((line) => line.includes('agents/greeter.ts works now: agent greeter'))
        write('good day')
        await dev.until((line) => line.includes('agents/greeter.ts changed'))
        write('hello')
      }
      dev.process.kill('SIGINT')
      const { code, stdout, stderr } = await dev.ended
      expect(code).toBe(0)
      expect(`${stdout}${stderr}`).not.toContain('NOSENTRY')
    }
    const built = await work.bridle(['build', '--target', 'cloudflare', '--data', 'data'])
    expect(built.code).toBe(0)
    expect(readFileSync(join(work.folder, 'data/worker/wrangler.jsonc'), 'utf8')).toContain('"ASSETS"')
    rmSync(join(work.folder, 'apps'), { recursive: true })
  })

  test.each([
    ['wrangler.jsonc', ['HarnessSession', 'HarnessDirectory', 'HARNESS_ARTIFACTS'], []],
    // There is nothing here that could build an image.
    ['wrangler.containers.jsonc', ['HarnessSession', 'HarnessSandbox'], ['--containers-rollout=none']],
  ])('apps/worker is what would be deployed: %s', (config, classes, more) => {
    const app = installed(config)
    // A first deployment needs no bucket; with one, it is this line.
    const settings = readFileSync(join(app, config), 'utf8')
    expect(settings).toContain('// "r2_buckets"')
    writeFileSync(join(app, config), settings.replace('// "r2_buckets"', '"r2_buckets"'))
    const said = deploy(app, 'node_modules/wrangler/bin/wrangler.js', 'deploy', '--config', config, ...more)
    for (const name of classes) expect(said).toContain(name)
    const [file = ''] = globSync('out/*.js', { cwd: app })
    // Guards against packages that come along by mistake, not against lines of our own.
    expect(gzipSync(readFileSync(join(app, file))).byteLength).toBeLessThan(384 * 1024)
  })

  if (isThorough)
    test('[CF18] apps/worker takes the web app along where it was built', () => {
      const app = installed('with-cockpit')
      expect(deploy(app, 'deploy.ts')).not.toContain('ASSETS')
      mkdirSync(join(app, '../cockpit/dist'), { recursive: true })
      writeFileSync(join(app, '../cockpit/dist/index.html'), '<h1>cockpit</h1>')
      const said = deploy(app, 'deploy.ts', '--config', 'wrangler.jsonc')
      expect(said).toContain('ASSETS')
      expect(said).toContain('Read 1 file from the assets directory')
      expect(globSync('*.jsonc', { cwd: app }).sort()).toEqual(['wrangler.containers.jsonc', 'wrangler.jsonc'])
    })
})
