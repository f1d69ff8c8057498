// Node caches each module by URL, even one that failed to load. So project files carry a version in the URL, and a changed file
// gets a new one, as do its importers.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tryOr } from '@bridle/kernel/try-or'
import { readJson } from '@bridle/runners/process/json-file'
import { CommonJsError, MissingImportError } from './import-errors.ts'
import { isOwnFile, isProjectFile } from './project-file.ts'

interface ModuleRecord {
  /** Changes with the file; null if the file does not exist. */
  stamp: string | null
  version: number
  /** Paths of imported project files. */
  readonly imports: Set<string>
}

export class ProjectModules {
  readonly root: string
  readonly #number: number
  readonly #records = new Map<string, ModuleRecord>()
  /** Files passed to `load`. A failed one is retried even if no file changed, because the cause may be gone. */
  readonly #entries = new Map<string, 'loaded' | 'failed'>()
  #lastVersion = 0
  /** Throws if a project file must not be loaded. */
  guard: ((path: string, content: Uint8Array | string) => void) | null = null

  constructor(root: string, number: number) {
    this.root = root
    this.#number = number
  }

  /** Throws Node's error, or a more helpful one. */
  async load(file: string): Promise<unknown> {
    const path = join(this.root, file)
    this.#entries.set(path, 'failed')
    const module = await import(/* @vite-ignore */ this.#address(path))
    this.#entries.set(path, 'loaded')
    return module
  }

  /** Gives changed files and their importers a new version. Call before loading again. */
  refresh(): void {
    const working = this.#reachable(this.#entriesThat('loaded'))
    const stale = [...this.#reachable(this.#entriesThat('failed'))].filter((path) => !working.has(path))
    const changed = new Set([...stale, ...this.#changedFiles()])
    // Iterating a Set also visits paths added during the loop.
    for (const path of changed)
      for (const [importer, { imports }] of this.#records) if (imports.has(path)) changed.add(importer)
    for (const path of changed) this.#forget(path)
  }

  get hasChanged(): boolean {
    return this.#changedFiles().length > 0
  }

  get files(): readonly string[] {
    return [...this.#records.keys()]
  }

  /** The file and its imports, the last one found first. */
  filesOf(file: string): readonly string[] {
    return [...this.#reachable([join(this.root, file)])].reverse()
  }

  /** Adds the version to the URL of a project file. */
  resolved(url: string, parent: string): string {
    if (!url.startsWith('file:') || /[?#]/.test(url)) return url
    const path = fileURLToPath(url)
    if (!this.owns(path)) return url
    this.#records.get(fileURLToPath(parent))?.imports.add(path)
    return this.#address(path)
  }

  owns(path: string): boolean {
    return isProjectFile(path, this.root)
  }

  #address(path: string): string {
    const record = this.#records.get(path) ?? { stamp: stampOf(path), version: ++this.#lastVersion, imports: new Set() }
    this.#records.set(path, record)
    return `${pathToFileURL(path).href}?${MARK}=${this.#number}.${record.version}`
  }

  #changedFiles(): readonly string[] {
    return [...this.#records].flatMap(([path, { stamp }]) => (stampOf(path) === stamp ? [] : [path]))
  }

  #forget(path: string): void {
    this.#records.delete(path)
    if (stampOf(path) === null) this.#entries.delete(path)
    delete requireCache[path]
  }

  #entriesThat(state: 'loaded' | 'failed'): readonly string[] {
    return [...this.#entries].flatMap(([path, each]) => (each === state ? [path] : []))
  }

  #reachable(from: readonly string[]): ReadonlySet<string> {
    const found = new Set(from)
    for (const path of found) for (const each of this.#records.get(path)?.imports ?? []) found.add(each)
    return found
  }
}

/** A process has one per root, like Node's module cache. */
export const projectModules = (root: string): ProjectModules => {
  const folder = realFolder(resolve(root))
  const known = projects.find((each) => each.root === folder)
  if (known) return known
  if (projects.length === 0) registerHooks(hooks)
  const project = new ProjectModules(folder, projects.length)
  projects.push(project)
  return project
}

const projects: ProjectModules[] = []
const MARK = 'changed'
const requireCache = createRequire(import.meta.url).cache

const projectOf = (url: string | undefined): ProjectModules | undefined => {
  const number = /[?&]changed=(\d+)\.\d+$/.exec(url ?? '')?.[1]
  return number === undefined ? undefined : projects[Number(number)]
}

const hooks: Parameters<typeof registerHooks>[0] = {
  resolve: (specifier, context, next) => {
    const { parentURL = '', conditions } = context
    const project = projectOf(parentURL)
    if (!project) return next(specifier, context)
    try {
      const resolved = next(specifier, context)
      return conditions.includes('import') ? { ...resolved, url: project.resolved(resolved.url, parentURL) } : resolved
    } catch (error) {
      if (!MISSING.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      throw new MissingImportError(specifier, relative(project.root, fileURLToPath(parentURL)), project.root, error)
    }
  },
  load: (url, context, next) => {
    const project = projectOf(url)
    const format = project && formatOf(fileURLToPath(url), project.root)
    const loaded = next(url, format ? { ...context, format } : context)
    checkSource(url, loaded.source)
    return loaded
  },
}

/** Also covers files that no agent imports, such as settings and packages. The checked source is the one that runs. */
const checkSource = (url: string, source: unknown): void => {
  if (!url.startsWith('file:')) return
  const path = fileURLToPath(url)
  if (isOwnFile(path)) return
  const guarded = projects.filter((each) => each.guard !== null)
  const owners = guarded.filter((each) => each.owns(path))
  for (const { guard } of owners.length > 0 ? owners : guarded)
    guard?.(path, typeof source === 'string' || source instanceof Uint8Array ? source : readFileSync(path))
}

const MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'])

/** The current `type` of package.json, because Node caches that file and would miss a correction. Null: let Node decide. */
const formatOf = (path: string, root: string): string | null => {
  const ending = extname(path)
  if (ending !== '.ts' && ending !== '.js') return null
  const { file, type } = nearestPackage(dirname(path))
  const isModule = type === 'module' || (type !== 'commonjs' && hasModuleSyntax(path))
  if (type === 'commonjs' && hasModuleSyntax(path)) throw new CommonJsError(relative(root, file) || file)
  const format = isModule ? 'module' : type === 'commonjs' ? 'commonjs' : null
  return format === null ? null : ending === '.ts' ? `${format}-typescript` : format
}

const hasModuleSyntax = (path: string): boolean =>
  /^\s*(import\s*['"{*\w]|export\s*[{*\w])/m.test(readFileSync(path, 'utf8'))

const nearestPackage = (folder: string): { readonly file: string; readonly type: unknown } => {
  const file = join(folder, 'package.json')
  const manifest = readJson(file) as { readonly type?: unknown } | null
  if (manifest !== null) return { file, type: manifest.type }
  return dirname(folder) === folder ? { file, type: undefined } : nearestPackage(dirname(folder))
}

const stampOf = (path: string): string | null => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.mtimeMs}-${found.size}` : null
}

const realFolder = (path: string): string => tryOr(path, () => realpathSync(path))
