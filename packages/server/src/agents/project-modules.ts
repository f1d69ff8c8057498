// The modules of a project: its agents and the files that they import. Node loads a module once per address and keeps it, also one
// that failed. So every file of the project is loaded at an address with its version, and a changed file gets a new version, as do
// the files that import it. Files below node_modules and of Bridle itself keep their address: they are loaded once per process.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tryOr } from '@bridle/kernel/try-or'
import { readJson } from '@bridle/runners/process/json-file'
import { CommonJsError, MissingImportError } from './import-errors.ts'
import { isOwnFile, isProjectFile } from './project-file.ts'

interface ModuleRecord {
  /** Changes with the file; null = there is no such file. */
  stamp: string | null
  version: number
  /** Paths of the project's files that it imports. */
  readonly imports: Set<string>
}

export class ProjectModules {
  readonly root: string
  readonly #number: number
  readonly #records = new Map<string, ModuleRecord>()
  /** The files that `load` was called with, and whether that worked. A reason to fail may go without a change of the files. */
  readonly #entries = new Map<string, 'loaded' | 'failed'>()
  #lastVersion = 0
  /** Throws where a file of the project is not to be loaded. */
  guard: ((path: string, content: Uint8Array | string) => void) | null = null

  constructor(root: string, number: number) {
    this.root = root
    this.#number = number
  }

  /** Imports a file of the project. Throws what Node throws, or an error that says more. */
  async load(file: string): Promise<unknown> {
    const path = join(this.root, file)
    this.#entries.set(path, 'failed')
    const module = await import(/* @vite-ignore */ this.#address(path))
    this.#entries.set(path, 'loaded')
    return module
  }

  /** Gives changed files a new version, and those that import them. Call it before files are loaded again. */
  refresh(): void {
    const working = this.#reachable(this.#entriesThat('loaded'))
    const stale = [...this.#reachable(this.#entriesThat('failed'))].filter((path) => !working.has(path))
    const changed = new Set([...stale, ...this.#changedFiles()])
    // A Set also visits the paths that are added while it is walked.
    for (const path of changed)
      for (const [importer, { imports }] of this.#records) if (imports.has(path)) changed.add(importer)
    for (const path of changed) this.#forget(path)
  }

  /** Whether a file is not as it was when it was loaded. */
  get hasChanged(): boolean {
    return this.#changedFiles().length > 0
  }

  get files(): readonly string[] {
    return [...this.#records.keys()]
  }

  /** Paths of the files that this one imports, itself included: the last that was found comes first. */
  filesOf(file: string): readonly string[] {
    return [...this.#reachable([join(this.root, file)])].reverse()
  }

  /** The address of an import: with its version where it is a file of the project. */
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

/** The modules of the project at this root: one object for the whole process, as Node's modules are. */
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

/** The project that an address with a version belongs to. */
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

/** Also checks files that no agent imports: settings, packages, and neighbours in the repository. The checked source is run. */
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

/** The format as package.json has it now: Node reads that file once, and would never see the correction. Null = as Node says. */
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
