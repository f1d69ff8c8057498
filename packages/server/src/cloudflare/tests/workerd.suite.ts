// The real runtime for tests: one process, its objects on disk, in a folder per process id. What it runs is bundled from
// source. Where it cannot be fetched, tests that need it are skipped by name, and say why.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { builtOnce } from '../../../../../scripts/built-once.ts'
import { needs } from '../../../../../scripts/needs.ts'
import { fetchPinned } from '../../../../../scripts/pinned-tools.ts'

export const tools = fetchPinned('apps/worker', 'cloudflare-tools')
/** For `describe.skipIf`. */
export const noTools = needs('wrangler')

/** The newest that the pinned runtime knows; wrangler.jsonc has the same. */
export const COMPATIBILITY_DATE = '2026-10-01'

/** A Worker as one module, built once for all test files that see the same sources. */
export const bundleWorker = async (entry: string): Promise<string> => {
  const folder = await builtOnce({
    name: `workers/${basename(dirname(entry))}-${basename(entry, '.suite.ts')}`,
    sources: ['packages/*/src/**/*.{ts,tsx}', 'packages/bridle/package.json'],
    build: async (into) => {
      const code = await bundle(entry)
      mkdirSync(into)
      writeFileSync(join(into, 'worker.js'), code)
    },
  })
  return readFileSync(join(folder, 'worker.js'), 'utf8')
}

const bundle = async (entry: string): Promise<string> => {
  // Loaded only where something is built: most files find the bundle.
  const { build } = await import('vite')
  const built = await build({
    configFile: false,
    logLevel: 'error',
    // As wrangler resolves.
    resolve: { conditions: ['bridle-source', 'workerd', 'worker', 'browser', 'import'] },
    build: {
      write: false,
      minify: false,
      target: 'es2024',
      lib: { entry, formats: ['es'], fileName: 'worker' },
      rolldownOptions: { external: [/^cloudflare:/, /^workerd:/, /^node:/], output: { codeSplitting: false } },
    },
  })
  const [result] = Array.isArray(built) ? built : [built]
  const output = result && 'output' in result ? result.output : []
  const [chunk] = output
  if (chunk?.type !== 'chunk' || output.length > 1) throw new Error(`${entry} is more than one module.`)
  return chunk.code
}

export interface WorkerdOptions {
  readonly code: string
  /** Durable Object classes by the name of their binding. */
  readonly objects: { readonly [binding: string]: string }
  readonly vars?: { readonly [name: string]: string }
  /** Names of bindings, each to a bucket of its own. */
  readonly buckets?: readonly string[]
  /** Compatibility flags beside those that tests need. */
  readonly flags?: readonly string[]
  /** A second Worker of the same code, with these variables instead, in an isolate of its own; it has the same objects. */
  readonly second?: { readonly [name: string]: string }
  /** Where its objects lie; given again, they are found again. */
  readonly folder?: string
}

export interface WorkerdProcess {
  readonly url: string
  /** The URL of the second Worker; empty where there is none. */
  readonly secondUrl: string
  readonly pid: number
  readonly folder: string
  /** Lines of its standard error. */
  readonly stderrLines: string[]
  /** Kills the process like a crash, without a notice. */
  kill(): Promise<void>
  /** Ends it, and removes what it kept. */
  dispose(): Promise<void>
}

export const startWorkerd = async (options: WorkerdOptions): Promise<WorkerdProcess> => {
  if ('missing' in tools) throw new Error(tools.missing)
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'bridle-workerd-'))
  const disk = join(folder, 'objects')
  const lot = join(folder, 'buckets')
  for (const each of [disk, lot]) mkdirSync(each, { recursive: true })
  writeFileSync(join(folder, 'worker.js'), options.code)
  writeFileSync(join(folder, 'config.capnp'), config(options, disk, lot))
  const binary = join(tools.folder, 'node_modules/workerd/bin/workerd')
  const child = spawn(binary, ['serve', '--experimental', '--control-fd=3', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  createInterface({ input: child.stderr as Readable }).on('line', (line) => said.push(line))
  const names = ['http', ...(options.second ? ['second'] : [])]
  const [port, second] = await listening(child, said, names)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  return {
    url: `http://127.0.0.1:${port}`,
    secondUrl: second === undefined ? '' : `http://127.0.0.1:${second}`,
    pid: child.pid ?? 0,
    folder,
    stderrLines: said,
    kill,
    dispose: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const listening = (child: ChildProcess, said: readonly string[], names: readonly string[]): Promise<number[]> =>
  new Promise((resolve, reject) => {
    const ports = new Map<string, number>()
    createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
      const told = JSON.parse(line) as { event?: string; socket?: string; port?: number }
      if (told.event === 'listen' && told.socket && told.port) ports.set(told.socket, told.port)
      const found = names.flatMap((name) => ports.get(name) ?? [])
      if (found.length === names.length) resolve(found)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`workerd ended with ${code}: ${said.join('\n')}`)))
  })

const text = (value: string) => JSON.stringify(value)

/** The text of a Worker of the local tools. */
const source = (file: string): string => {
  if ('missing' in tools) throw new Error(tools.missing)
  return text(readFileSync(join(tools.folder, 'node_modules/miniflare/dist/src/workers', `${file}.worker.js`), 'utf8'))
}

/** A bucket as Cloudflare's local tools simulate it: one of their Workers, with its files beside the objects. */
const bucketServices = (names: readonly string[], disk: string): string => {
  if (names.length === 0) return ''
  const entries = names.map(
    (name) => `,
    (name = ${text(`bucket-${name}`)}, worker = (
      modules = [(name = "entry.js", esModule = ${source('shared/object-entry')})],
      compatibilityDate = "2023-07-24",
      bindings = [
        (name = "MINIFLARE_NAMESPACE", text = ${text(name)}),
        (name = "MINIFLARE_OBJECT", durableObjectNamespace = (className = "R2BucketObject", serviceName = "buckets"))
      ]))`,
  )
  return `,
    (name = "buckets", worker = (
      modules = [(name = "bucket.js", esModule = ${source('r2/bucket')})],
      compatibilityDate = "2023-07-24",
      compatibilityFlags = ["nodejs_compat", "experimental"],
      durableObjectNamespaces = [(className = "R2BucketObject", uniqueKey = "bridle-R2BucketObject")],
      durableObjectStorage = (localDisk = "bucket-disk"),
      bindings = [(name = "MINIFLARE_BLOBS", service = "bucket-disk")])),
    (name = "bucket-disk", disk = (path = ${text(disk)}, writable = true))${entries.join('')}`
}

const config = (
  { objects, vars = {}, flags = [], buckets = [], second }: WorkerdOptions,
  disk: string,
  lot: string,
): string => {
  const namespaces = Object.values(objects).map(
    (name) => `(className = ${text(name)}, uniqueKey = ${text(`bridle-${name}`)}, enableSql = true)`,
  )
  const bindings = [
    ...Object.entries(objects).map(
      ([binding, name]) => `(name = ${text(binding)}, durableObjectNamespace = ${text(name)})`,
    ),
    ...buckets.map((name) => `(name = ${text(name)}, r2Bucket = ${text(`bucket-${name}`)})`),
    ...texts(vars),
  ]
  const remote = Object.entries(objects).map(
    ([binding, name]) =>
      `(name = ${text(binding)}, durableObjectNamespace = (className = ${text(name)}, serviceName = "main"))`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),${second ? '\n    (name = "second", worker = .second),' : ''}
    (name = "disk", disk = (path = ${text(disk)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)))${bucketServices(buckets, lot)}
  ],
  sockets = [
    (name = "http", address = "127.0.0.1:0", http = (), service = "main")${
      second ? ',\n    (name = "second", address = "127.0.0.1:0", http = (), service = "second")' : ''
    }
  ]${
    buckets.length === 0
      ? ''
      : `,
  extensions = [(modules = [
    (name = "miniflare:shared", esModule = ${source('shared/index')}),
    (name = "miniflare:zod", esModule = ${source('shared/zod')})
  ])]`
  }
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = ${JSON.stringify(['experimental', 'unsafe_module', ...flags])},
  durableObjectNamespaces = [${namespaces.join(', ')}],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [${bindings.join(', ')}]
);
${
  second
    ? `const second :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = ${JSON.stringify(['experimental', 'unsafe_module', ...flags])},
  bindings = [${[...remote, ...texts(second)].join(', ')}]
);
`
    : ''
}`
}

const texts = (vars: { readonly [name: string]: string }): string[] =>
  Object.entries(vars).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`)
