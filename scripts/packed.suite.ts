// The published tarball in a project of its own, as a user installs it: built, packed, and nothing of this checkout in reach.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface PackageManifest {
  readonly name: string
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, { 'bridle-source': string; types: string; default: string }>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly keywords: readonly string[]
  readonly scripts: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
}

export const root = fileURLToPath(new URL('..', import.meta.url))
export const manifest: PackageManifest = JSON.parse(readFileSync(join(root, 'packages/bridle/package.json'), 'utf8'))

/** Entries for pages: their optional peers are the page's own. */
export const pageEntries = ['./react', './assistant-ui']
/** Entries that only the Workers runtime can load. */
export const workerEntries = ['./cloudflare']
/** Files that a page's audio worklet loads; they export nothing. */
export const workletEntries = ['./voice-worklet']
export const entries = Object.keys(manifest.exports)
export const nodeEntries = entries.filter(
  (entry) => ![...pageEntries, ...workerEntries, ...workletEntries].includes(entry),
)

const ownCompiler = join(root, 'node_modules/typescript/bin/tsc')

interface Compiler {
  readonly tsc?: string
  readonly options?: readonly string[]
}

/** As a page is compiled, and a program where Node's types are not installed. */
export const withoutNode = ['--module', 'nodenext', '--lib', 'es2022,dom,dom.iterable', '--typeRoots', 'none']
/** As a server is compiled: Node's types, and no DOM. */
export const withNode = ['--module', 'nodenext', '--lib', 'es2023', '--types', 'node']
/** As a bundler resolves. */
export const forBundler = [
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--jsx',
  'react-jsx',
  ...withoutNode.slice(2),
]

export class PackedProject {
  readonly #temporary = mkdtempSync(join(tmpdir(), 'bridle-pack-'))
  readonly folder = join(this.#temporary, 'project')
  /** The package, where it is installed. */
  readonly installed = join(this.folder, 'node_modules', manifest.name)

  make(): void {
    run('npm', ['run', 'build', '--workspace', manifest.name], root)
    run('npm', ['pack', '--workspace', manifest.name, '--ignore-scripts', '--pack-destination', this.#temporary], root)
    mkdirSync(this.folder)
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
    this.install(this.#tarball)
  }

  get #tarball(): string {
    return join(this.#temporary, `${manifest.name}-${manifest.version}.tgz`)
  }

  /** The package under other names, for `install`. */
  aliases(...names: readonly string[]): string[] {
    return names.map((name) => `${name}@file:${this.#tarball}`)
  }

  /** The output of a program of the project. */
  program(text: string): string {
    return run(process.execPath, ['--input-type=module', '--eval', text], this.folder).trim()
  }

  /** Runs a file of tests of the project; throws with its output where one fails. */
  runTests(name: string, text: string): string {
    writeFileSync(join(this.folder, name), text)
    return run(process.execPath, ['--test', name], this.folder)
  }

  /** Without scripts: neither the package nor what it depends on needs any. */
  install(...what: readonly string[]): void {
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
    run('npm', ['install', ...options, ...what], this.folder)
  }

  /** The names that an entry exports. */
  namesOf(entry: string, node = process.execPath): string {
    const script = `console.log(Object.keys(await import('${entry.replace('.', manifest.name)}')).join(' '))`
    return run(node, ['--input-type=module', '--eval', script], this.folder).trim()
  }

  /** Complaints of a consumer's compiler about the types of entries. */
  typeErrors(entries: readonly string[], compiler: Compiler = {}): string {
    const lines = entries.map((entry, index) => `import * as entry${index} from '${entry.replace('.', manifest.name)}'`)
    const names = entries.map((_entry, index) => `Object.keys(entry${index})`)
    return this.typeErrorsOf(`${lines.join('\n')}\nexport const names = [${names}]\n`, compiler)
  }

  /** The same about a whole file. The declarations of other packages are theirs to check. */
  typeErrorsOf(text: string | Readonly<Record<string, string>>, compiler: Compiler = {}): string {
    const { tsc = ownCompiler, options = withoutNode } = compiler
    const files = typeof text === 'string' ? { 'consumer.ts': text } : text
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.folder, name), content)
    // The compiler's own declarations are not in question, and take most of the time.
    const always = ['--noEmit', '--strict', '--skipDefaultLibCheck', '--pretty', 'false', '--target', 'es2022']
    try {
      return run(process.execPath, [tsc, ...always, ...options, ...Object.keys(files)], this.folder)
    } catch (error) {
      const { stdout = '' } = (error as Error).cause as { stdout?: string }
      const lines = stdout.split('\n').filter((line) => line !== '' && !/^(\s|node_modules\/(?!bridle\/))/.test(line))
      if (stdout === '') throw error
      return lines.join('\n')
    }
  }

  /** A command of the package, by a Node of choice: the shebang would take whichever comes first on the machine. */
  command(name: string, args: readonly string[], node = process.execPath): string {
    return run(node, [join(this.folder, 'node_modules/.bin', name), ...args], this.folder)
  }

  remove(): void {
    rmSync(this.#temporary, { recursive: true, force: true })
  }
}

// npm hands its own state down to children as variables, which would tie the project to this checkout. Settings such
// as a cache or a proxy stay.
const inherited = /^(npm_(?!config_)|npm_config_(local_prefix|workspace)|NODE_OPTIONS$|VITEST)/i

const run = (command: string, args: readonly string[], cwd: string): string => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !inherited.test(name)))
  try {
    return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: 'pipe' })
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause })
  }
}
