// Writes a project from a template, with a package.json that installs this package. All or nothing: finds every obstacle
// before writing.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { tryOr } from '@bridle/kernel/try-or'
import type { PackageSource } from './package-source.ts'
import { findInTheWay, type TemplateName, templateFiles, writeFiles } from './templates.ts'

export interface NewProject {
  /** Absolute. */
  readonly folder: string
  readonly template: TemplateName
  readonly source: Exclude<PackageSource, { kind: 'unpacked' }>
}

/** The number of files written, or why none were. */
export const writeProject = ({
  folder,
  template,
  source,
}: NewProject): { readonly count: number } | { readonly problem: string } => {
  const { 'package.json': manifestOfTemplate = '', ...rest } = Object.fromEntries(templateFiles(template))
  const file = join(folder, 'package.json')
  const name = packageName(basename(folder))
  const { spec, copy } = dependency(source, folder)
  const present = existsSync(file) ? readFileSync(file, 'utf8') : null
  const manifest = projectManifest(manifestOfTemplate, { name, bridle: spec, present })
  if ('problem' in manifest) return manifest
  const files = new Map(
    Object.entries({ ...rest, 'README.md': (rest['README.md'] ?? '').replace(/^# .*/, `# ${name}`) }),
  )
  const inTheWay = findInTheWay(folder, files.keys())
  if (inTheWay.length > 0)
    return { problem: `${inTheWay.join(', ')} would be overwritten. Nothing was written; choose another folder.` }
  mkdirSync(folder, { recursive: true })
  writeFiles(folder, files)
  writeFileSync(file, manifest.text)
  if (copy !== null) {
    mkdirSync(dirname(copy.to), { recursive: true })
    copyFileSync(copy.from, copy.to)
  }
  return { count: files.size + 1 }
}

/** Copies a tarball into the project, so that it installs on other machines and in images. */
const dependency = (source: NewProject['source'], folder: string) => {
  if (source.kind !== 'tarball') return { spec: source.version, copy: null }
  const path = relative(folder, source.file).replaceAll('\\', '/')
  if (!path.startsWith('..') && !/^[a-z]:/i.test(path)) return { spec: `file:${path}`, copy: null }
  const inside = `vendor/${basename(source.file)}`
  return { spec: `file:${inside}`, copy: { from: source.file, to: join(folder, inside) } }
}

const packageName = (folder: string): string =>
  folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '') || 'my-app'

interface Manifest {
  readonly name?: string
  readonly type?: string
  readonly main?: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** `npm init` writes this script, which marks an untouched file. */
const NPM_INIT_TEST = 'echo "Error: no test specified" && exit 1'

const projectManifest = (
  template: string,
  { name, bridle, present }: { readonly name: string; readonly bridle: string; readonly present: string | null },
): { readonly text: string } | { readonly problem: string } => {
  const wanted = withBridle({ ...(JSON.parse(template) as Manifest), name }, bridle)
  if (present === null) return { text: print(wanted) }
  const parsed = parse(present)
  if (parsed === null) return { problem: 'package.json is not JSON.' }
  const own = parsed.scripts?.test === NPM_INIT_TEST ? withoutDefaults(parsed) : parsed
  if (own.type !== undefined && own.type !== 'module')
    return {
      problem:
        'package.json says "type": "commonjs"; agents need "type": "module". Choose another folder, or run: npm pkg set type=module',
    }
  const merged: Manifest = {
    ...own,
    type: 'module',
    // Existing scripts take precedence.
    scripts: { ...wanted.scripts, ...own.scripts },
    dependencies: sorted({ ...wanted.dependencies, ...own.dependencies, bridle }),
    devDependencies: sorted({ ...wanted.devDependencies, ...own.devDependencies }),
  }
  return { text: isDeepStrictEqual(merged, parsed) ? present : print(merged) }
}

const withBridle = (manifest: Manifest, bridle: string): Manifest => ({
  ...manifest,
  dependencies: { ...manifest.dependencies, bridle },
})

const withoutDefaults = ({ type: _type, main: _main, scripts, ...rest }: Manifest): Manifest => {
  const { test: _test, ...others } = scripts ?? {}
  return { ...rest, scripts: others }
}

const parse = (text: string): Manifest | null => tryOr(null, () => JSON.parse(text) as Manifest)

const sorted = (entries: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const print = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`
