// The Cloudflare target by its own tool: what would be deployed, and what runs on this machine.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noTools, tools } from '../targets/cloudflare/workerd.suite.ts'
import { freePort, rows, Workspace } from './cli.suite.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const entry = fileURLToPath(new URL('../index.ts', import.meta.url))

describe.skipIf(noTools)('[C18] with wrangler', () => {
  let work: Workspace
  const write = (answer: string) =>
    writeFileSync(
      join(work.folder, 'agents/greeter.ts'),
      `import { agent } from '${entry}'\nexport default agent({ name: 'greeter', run: () => '${answer}' })\n`,
    )

  beforeAll(() => {
    const { folder } = tools as { folder: string }
    work = new Workspace({ PATH: `${join(folder, 'node_modules/.bin')}${delimiter}${process.env.PATH}` })
    mkdirSync(join(work.folder, 'agents'))
    write('hello')
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
    expect(gzipSync(bundle).byteLength).toBeLessThan(300 * 1024)
    // What only Node has would fail where it is deployed, and only there.
    expect(bundle.toString()).not.toMatch(/from\s*["']node:/)
  })

  test('dev serves agents/ in the real runtime, and keeps its sessions beside the data', async () => {
    const port = String(await freePort())
    const args = ['dev', '--target', 'cloudflare', '--port', port, '--data', 'data']
    for (const turn of ['first', 'second']) {
      const dev = work.start(args, { env: { FABRIC_HARNESS_API_TOKEN: 'secret' } })
      const ready = await dev.until((line) => line.includes('ready at'))
      work.url = ready.split(' ').at(-1) ?? ''
      expect((await fetch(`${work.url}/sessions`)).status).toBe(401)
      const asked = await work.bridle(['run', 'greeter', 'hi', '--id', turn], {
        env: { FABRIC_HARNESS_API_TOKEN: 'secret' },
      })
      expect(rows(asked.stdout).at(-1)?.result).toBe('hello')
      const listed = await fetch(`${work.url}/sessions`, { headers: { authorization: 'Bearer secret' } })
      const { sessions } = (await listed.json()) as { sessions: unknown[] }
      expect(sessions).toHaveLength(turn === 'first' ? 1 : 2)
      dev.process.kill('SIGINT')
      expect((await dev.ended).code).toBe(0)
    }
  })

  test.each([
    ['wrangler.jsonc', ['HarnessSession', 'HarnessDirectory', 'HARNESS_ARTIFACTS'], []],
    // There is nothing here that could build an image.
    ['wrangler.containers.jsonc', ['HarnessSession', 'HarnessSandbox'], ['--containers-rollout=none']],
  ])('apps/worker is what would be deployed: %s', (config, classes, more) => {
    const { folder } = tools as { folder: string }
    // As it is once it is installed: its packages beside it.
    const app = join(work.folder, config, 'worker')
    cpSync(join(root, 'apps/worker'), app, { recursive: true, filter: (path) => !path.includes('node_modules') })
    symlinkSync(join(root, 'apps/sandbox'), join(work.folder, config, 'sandbox'))
    mkdirSync(join(app, 'node_modules/@cloudflare'), { recursive: true })
    symlinkSync(join(root, 'packages/bridle'), join(app, 'node_modules/bridle'))
    symlinkSync(join(folder, 'node_modules/@cloudflare/containers'), join(app, 'node_modules/@cloudflare/containers'))
    // A first deployment needs no bucket; with one, it is this line.
    const settings = readFileSync(join(app, config), 'utf8')
    expect(settings).toContain('// "r2_buckets"')
    writeFileSync(join(app, config), settings.replace('// "r2_buckets"', '"r2_buckets"'))
    const wrangler = join(folder, 'node_modules/wrangler/bin/wrangler.js')
    const said = execFileSync(
      process.execPath,
      [wrangler, 'deploy', '--dry-run', '--minify', '--outdir', 'out', '--config', config, ...more],
      {
        cwd: app,
        env: { ...work.env, WRANGLER_BUILD_CONDITIONS: 'source,workerd,worker,browser' },
        encoding: 'utf8',
      },
    )
    for (const name of classes) expect(said).toContain(name)
    const [file = ''] = globSync('out/*.js', { cwd: app })
    expect(gzipSync(readFileSync(join(app, file))).byteLength).toBeLessThan(300 * 1024)
  })
})
