// Which declarations a user of an entry can reach: from the entry's exports, through every type that they name. The rest of what
// tsc emits is internal, and is not published.
import { posix } from 'node:path'
import {
  type DeclarationModule,
  type Export,
  inlineImports,
  moduleOf,
  namesIn,
  type Source,
} from './declaration-module.ts'
import { type DeclarationFile, docBefore, type Node, type Replacement, replaced } from './declaration-syntax.ts'

/** A top-level name of a declaration file. */
export interface Declared {
  readonly path: string
  readonly name: string
  /** The export is a type, also where the declaration is a class. */
  readonly isType: boolean
}

export class DeclarationGraph {
  readonly #modules: ReadonlyMap<string, DeclarationModule>

  constructor(files: Iterable<DeclarationFile>) {
    this.#modules = new Map([...files].map((file) => [file.path, moduleOf(file)]))
  }

  /** Every name that a file exports, and where it is declared. */
  exportsOf(path: string): Map<string, Declared> {
    const { exports, stars } = this.#module(path)
    const found = new Map(stars.flatMap((star) => [...this.exportsOf(star)]))
    for (const [name, exported] of exports) found.set(name, this.#follow(path, exported))
    return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The statements of a declared name, with the file they stand in. */
  statementsOf({ path, name }: Declared): { file: DeclarationFile; statements: readonly Node[] } {
    const module = this.#modules.get(path)
    if (!module) throw new Error(`${name} is declared by the package ${path}, not by us.`)
    return { file: module.file, statements: module.statements.get(name) ?? [] }
  }

  /** Names that the exports of these files reach, by the file that declares them. */
  reach(entries: readonly string[]): Map<string, Set<string>> {
    const reached = new Map<string, Set<string>>(entries.map((entry) => [entry, new Set()]))
    const open = entries.flatMap((entry) => [...this.exportsOf(entry).values()])
    for (let at = open.pop(); at; at = open.pop()) {
      if (!this.#modules.has(at.path)) continue
      const names = reached.get(at.path) ?? new Set()
      if (names.has(at.name)) continue
      reached.set(at.path, names.add(at.name))
      open.push(...this.#namedBy(at))
    }
    return reached
  }

  /** A file with only these declarations, and what it imports for them; an entry also with its exports. */
  textWith(path: string, names: ReadonlySet<string>, isEntry: boolean): string {
    const { file, imports, statements } = this.#module(path)
    const kept = [...new Set([...statements].flatMap(([name, all]) => (names.has(name) ? all : [])))]
    const used = new Set(kept.flatMap((statement) => [...namesIn(statement)]))
    const imported = [...imports].filter(([local]) => used.has(local) && !statements.has(local))
    const exported = isEntry ? [...this.exportsOf(path)].filter(([, at]) => at.path !== path) : []
    return [
      ...imported.map(([local, source]) => importLine(path, local, this.#resolve(source))),
      ...exported.map(([name, at]) => exportLine(path, name, at)),
      ...kept.toSorted((a, b) => a.start - b.start).map((statement) => this.#statementText(file, statement)),
      'export {};\n',
    ].join('\n')
  }

  #statementText(file: DeclarationFile, statement: Node): string {
    const start = docBefore(file, statement)?.start ?? statement.start
    const changes = inlineImports(file, statement).map(({ source, ...range }): Replacement => {
      const at = this.#resolve(source)
      const text = `import('${specifier(file.path, at.path)}').${at.name}`
      return { start: range.start - start, end: range.end - start, text }
    })
    return replaced(file.text.slice(start, statement.end), changes)
  }

  #namedBy({ path, name }: Declared): Declared[] {
    const { file, imports, statements } = this.#module(path)
    const own = statements.get(name) ?? []
    const inline = own.flatMap((statement) => inlineImports(file, statement)).map(({ source }) => this.#resolve(source))
    const names = new Set(own.flatMap((statement) => [...namesIn(statement)]))
    const found = [...names].flatMap((each): Declared[] => {
      if (statements.has(each)) return [{ path, name: each, isType: false }]
      const source = imports.get(each)
      return source ? [this.#resolve(source)] : []
    })
    return [...inline, ...found]
  }

  /** The file that declares a name, past those that only pass it on. */
  #resolve({ from, name, isType }: Source): Declared {
    const module = this.#modules.get(from)
    if (!module) return { path: from, name, isType }
    if (name === '*')
      throw new Error(`${from} is imported as a whole. Import names: the declarations are shaken by name.`)
    const found = module.exports.get(name)
    if (found) return { ...this.#follow(from, found), ...(isType && { isType }) }
    const star = module.stars.find((each) => this.exportsOf(each).has(name))
    if (star === undefined) throw new Error(`${from} exports no ${name}.`)
    return this.#resolve({ from: star, name, isType })
  }

  #follow(path: string, { local, source, isType }: Export): Declared {
    const from = source ?? this.#module(path).imports.get(local)
    return from ? this.#resolve({ ...from, isType: isType || from.isType }) : { path, name: local, isType }
  }

  #module(path: string): DeclarationModule {
    const found = this.#modules.get(path)
    if (!found) throw new Error(`There is no declaration file ${path}.`)
    return found
  }
}

const importLine = (path: string, local: string, { path: from, name, isType }: Declared): string => {
  const kind = `${isPlatform(from) ? PLATFORM_NOTE : ''}${isType ? 'import type' : 'import'}`
  if (name === '*') return `${kind} * as ${local} from '${specifier(path, from)}';`
  return `${kind} { ${renamed(name, local)} } from '${specifier(path, from)}';`
}

/** Modules whose types a project may lack: without them, what they name is `any`, and nothing else changes. */
const isPlatform = (from: string): boolean => /^(node|cloudflare):/.test(from)
const PLATFORM_NOTE = "// @ts-ignore: the platform's own types, where the project has them.\n"

const exportLine = (path: string, exported: string, { path: from, name, isType }: Declared): string =>
  `export ${isType ? 'type ' : ''}{ ${renamed(name, exported)} } from '${specifier(path, from)}';`

const renamed = (from: string, to: string): string => (from === to ? to : `${from} as ${to}`)

/** As a compiler of any version finds it: by the JavaScript file beside the declarations. */
const specifier = (path: string, to: string): string => {
  if (!to.endsWith('.d.ts')) return to
  const relative = posix.relative(posix.dirname(path), to.replace(/\.d\.ts$/, '.js'))
  return relative.startsWith('.') ? relative : `./${relative}`
}
