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
}

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'packages/bridle/package.json'), 'utf8'))
const temporary = mkdtempSync(join(tmpdir(), 'bridle-pack-'))
const project = join(temporary, 'project')
const installed = join(project, 'node_modules', manifest.name)

beforeAll(() => {
  run('npm', ['run', 'build', '--workspace', manifest.name], root)
  run('npm', ['pack', '--workspace', manifest.name, '--ignore-scripts', '--pack-destination', temporary], root)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
  const tarball = join(temporary, `${manifest.name}-${manifest.version}.tgz`)
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], project)
}, 120_000)

afterAll(() => rmSync(temporary, { recursive: true, force: true }))

describe('the packed package', () => {
  test.each(Object.keys(manifest.exports))('exports something from %s', (entry) => {
    const specifier = entry.replace('.', manifest.name)
    const script = `console.log(Object.keys(await import('${specifier}')).join(' '))`
    const names = run(process.execPath, ['--input-type=module', '--eval', script], project).trim()
    expect(names).not.toBe('')
  })

  test.each(Object.entries(manifest.exports))('has types for %s that a consumer can check', (entry, { types }) => {
    expect(existsSync(join(installed, types))).toBe(true)
    const specifier = entry.replace('.', manifest.name)
    writeFileSync(
      join(project, 'consumer.ts'),
      `import * as entry from '${specifier}'\nexport const names = Object.keys(entry)\n`,
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024']
    expect(run(process.execPath, [tsc, ...options, 'consumer.ts'], project)).toBe('')
  })

  test('carries no tests and no sources', () => {
    expect(existsSync(join(installed, 'src'))).toBe(false)
    expect(existsSync(join(installed, 'dist/boundaries.test.js'))).toBe(false)
  })

  const hasCli = existsSync(join(root, 'packages/bridle/src/cli/main.ts'))
  test.skipIf(!hasCli).each(Object.entries(manifest.bin))('%s --version prints the version', (name, file) => {
    expect(existsSync(join(installed, file))).toBe(true)
    // Started by this very Node: the shebang would take whichever comes first on the machine.
    expect(run(process.execPath, [join(project, 'node_modules/.bin', name), '--version'], project)).toContain(
      manifest.version,
    )
  })
})

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
