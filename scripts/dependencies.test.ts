// Each dependency of the published package is code that users run with their keys in reach: few, chosen, pinned, and none that
// runs anything when it is installed.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { manifest, root } from './packed.suite.ts'

interface LockfileEntry {
  readonly integrity?: string
  readonly link?: boolean
  readonly resolved?: string
  readonly hasInstallScript?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const lockedBy = (file: string): [string, LockfileEntry][] =>
  Object.entries((JSON.parse(read(file)) as { packages: Record<string, LockfileEntry> }).packages)
const locks = ['package-lock.json', ...globSync('{apps/*,matrix,matrix/*}/package-lock.json', { cwd: root })]
const exact = /^\d+\.\d+\.\d+$/

describe('the published package', () => {
  const names = Object.keys(manifest.dependencies)

  test('has at most six dependencies, and the decision record has a paragraph on each', () => {
    // The aim is five. The sixth turns our schemas into /openapi.json, and belongs to the library that checks them.
    expect(names.length).toBeLessThanOrEqual(6)
    const record = read('docs/decisions/0002-dependencies.md').toLowerCase()
    expect(names.filter((name) => !record.includes(`**${name}**`))).toEqual([])
  })

  test('pins each exactly, and none brings another', () => {
    const locked = new Map(lockedBy('package-lock.json'))
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      expect([name, version]).toEqual([name, expect.stringMatching(exact)])
      expect([name, locked.get(`node_modules/${name}`)?.dependencies]).toEqual([name, undefined])
    }
  })

  test('runs nothing when it is installed', () => {
    // `prepack` runs on the machine that publishes.
    expect(Object.keys(manifest.scripts)).toEqual(['build', 'prepack'])
  })
})

describe('lock files', () => {
  test.each(locks)('%s says what each package has to be, byte by byte, and names no registry', (file) => {
    const packages = lockedBy(file).filter(([path, { link }]) => path.includes('node_modules/') && !link)
    expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
  })

  // So `npm ci --ignore-scripts` installs the same as `npm ci`.
  test('no package that `npm ci` brings has an install script', () => {
    const scripted = locks.flatMap((file) =>
      lockedBy(file).flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [`${file}: ${path}`] : [])),
    )
    expect(scripted.toSorted()).toEqual([
      // They only look for the binary that their optional package has brought.
      'apps/site/package-lock.json: node_modules/esbuild',
      'apps/worker/package-lock.json: node_modules/esbuild',
      'apps/worker/package-lock.json: node_modules/workerd',
    ])
  })

  test.each([
    'package.json',
    ...globSync('packages/*/package.json', { cwd: root }),
    ...globSync('{apps/*,matrix,matrix/*}/package.json', { cwd: root }),
  ])('%s pins exactly', (file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file)) as Record<string, object>
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
    // A package of ours is the one in this checkout.
    const foreign = versions.filter(([name]) => !name.startsWith('@bridle/'))
    const bare = foreign.map(([name, version]) => [name, String(version).replace(/^npm:.+@/, '')])
    expect(bare.filter(([, version = '']) => !exact.test(version))).toEqual([])
  })
})
