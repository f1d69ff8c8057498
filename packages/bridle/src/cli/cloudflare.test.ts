// The Cloudflare target by its own tool: what would be deployed, and what runs on this machine.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

  test('apps/worker is what would be deployed', async () => {
    const { folder } = tools as { folder: string }
    const out = join(work.folder, 'app')
    const { execFileSync } = await import('node:child_process')
    const said = execFileSync(
      process.execPath,
      [join(folder, 'node_modules/wrangler/bin/wrangler.js'), 'deploy', '--dry-run', '--minify', '--outdir', out],
      {
        cwd: join(root, 'apps/worker'),
        env: {
          ...work.env,
          WRANGLER_BUILD_CONDITIONS: 'source,workerd,worker,browser',
          WRANGLER_SEND_METRICS: 'false',
        },
        encoding: 'utf8',
      },
    )
    expect(said).toContain('HarnessSession')
    expect(said).toContain('HarnessDirectory')
    expect(gzipSync(readFileSync(join(out, 'index.js'))).byteLength).toBeLessThan(300 * 1024)
  })
})
