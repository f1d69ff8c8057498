// What users install is the tarball, on plain Node with no flags: this is the only test that sees dist.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

type Manifest = {
  name: string
  version: string
  bin: Record<string, string>
  exports: Record<string, { source: string; types: string; default: string }>
  peerDependencies: Record<string, string>
}

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'packages/bridle/package.json'), 'utf8'))
const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
/** Entries for pages: their optional peers are the page's own. */
const forPages = ['./react']
/** Entries that only the Workers runtime can load. */
const forWorkers = ['./cloudflare']
const entries = Object.keys(manifest.exports)
const temporary = mkdtempSync(join(tmpdir(), 'bridle-pack-'))
const project = join(temporary, 'project')
const installed = join(project, 'node_modules', manifest.name)

beforeAll(() => {
  run('npm', ['run', 'build', '--workspace', manifest.name], root)
  run('npm', ['pack', '--workspace', manifest.name, '--ignore-scripts', '--pack-destination', temporary], root)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
  const tarball = join(temporary, `${manifest.name}-${manifest.version}.tgz`)
  install(tarball)
}, 120_000)

afterAll(() => rmSync(temporary, { recursive: true, force: true }))

describe('the packed package', () => {
  test.each(entries.filter((entry) => ![...forPages, ...forWorkers].includes(entry)))(
    'exports something from %s',
    (entry) => {
      expect(namesOf(entry)).not.toBe('')
      expect(typeErrors(entry)).toBe('')
    },
  )

  test.each(forWorkers)('has %s with its types', (entry) => {
    expect(existsSync(join(installed, manifest.exports[entry]!.default))).toBe(true)
    expect(typeErrors(entry)).toBe('')
  })

  describe('with its optional peers', () => {
    beforeAll(() => {
      // Installing the package alone brought none of them.
      for (const peer of Object.keys(manifest.peerDependencies)) {
        expect(existsSync(join(project, 'node_modules', peer))).toBe(false)
      }
      const peers = [...Object.keys(manifest.peerDependencies), 'react-dom', '@types/react']
      install(...peers.map((peer) => `${peer}@${devDependencies[peer]}`))
    }, 120_000)

    test.each(forPages)('exports something from %s', (entry) => {
      expect(namesOf(entry)).not.toBe('')
      expect(typeErrors(entry)).toBe('')
    })
  })

  test('carries no tests and no sources', () => {
    expect(existsSync(join(installed, 'src'))).toBe(false)
    expect(existsSync(join(installed, 'dist/boundaries.test.js'))).toBe(false)
  })

  test.each(Object.entries(manifest.bin))('%s --version prints the version', (name, file) => {
    expect(existsSync(join(installed, file))).toBe(true)
    // Started by this very Node: the shebang would take whichever comes first on the machine.
    expect(run(process.execPath, [join(project, 'node_modules/.bin', name), '--version'], project)).toContain(
      manifest.version,
    )
  })
})

function install(...what: readonly string[]): void {
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...what], project)
}

function namesOf(entry: string): string {
  const script = `console.log(Object.keys(await import('${entry.replace('.', manifest.name)}')).join(' '))`
  return run(process.execPath, ['--input-type=module', '--eval', script], project).trim()
}

/** What a consumer's compiler has to say about the entry's types. */
function typeErrors(entry: string): string {
  expect(existsSync(join(installed, manifest.exports[entry]!.types))).toBe(true)
  writeFileSync(
    join(project, 'consumer.ts'),
    `import * as entry from '${entry.replace('.', manifest.name)}'\nexport const names = Object.keys(entry)\n`,
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024']
  return run(process.execPath, [tsc, ...options, 'consumer.ts'], project)
}

// npm hands its own state down to children as variables, which would tie the project to this checkout. Settings such
// as a cache or a proxy stay.
const inherited = /^(npm_(?!config_)|npm_config_(local_prefix|workspace)|NODE_OPTIONS$|VITEST)/i

function run(command: string, args: readonly string[], cwd: string): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)))
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' })
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause })
  }
}
