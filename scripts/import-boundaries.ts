// The table in docs/architecture.md, read as rules, and the check of sources against them. The page is the only
// place where the rules are written, so reading is strict: a cell that is not understood is an error, not a gap.
import { posix } from 'node:path'
import { type Node, parseSync, visitorKeys } from 'oxc-parser'

export type Sources = ReadonlyMap<string, string>
export type Rules = readonly Row[]
type Row = { folder: string; may: readonly Target[]; never: readonly Target[] }
type Target = { kind: 'path' | 'package' | 'global'; name: string; typesOnly: boolean }
type Import = { specifier: string; typesOnly: boolean; line: number }
type Module = { imports: readonly Import[]; globals: readonly { name: string; line: number }[] }

/** Every breach of the rules, as `file:line: what the rule says`. Paths are relative to the folder of the table. */
export function findViolations(sources: Sources, rules: Rules): string[] {
  const modules = new Map([...sources].map(([file, text]) => [file, parseModule(file, text)]))
  return [...modules].flatMap(([file, module]) => {
    const row = rowOf(file, rules)
    if (!row) return [`${file}:1: no row of the import table covers this file`]
    return [
      ...module.imports.flatMap((imported) => directBreach(file, imported, row, sources)),
      ...module.globals
        .filter(({ name }) => row.never.some((target) => target.kind === 'global' && target.name === name))
        .map(({ name, line }) => `${file}:${line}: \`${row.folder}\` never uses \`${name}\``),
      ...indirectBreaches(file, row, modules),
    ]
  })
}

function directBreach(file: string, imported: Import, row: Row, sources: Sources): string[] {
  const breach = (why: string) => [`${file}:${imported.line}: imports '${imported.specifier}', ${why}`]
  const named = row.may.map((target) => `\`${target.name}\`${target.typesOnly ? ' (types only)' : ''}`)
  const allowed = [...new Set(named)].join(', ')
  const rule = `but \`${row.folder}\` may import only itself${allowed && `, ${allowed}`}`
  const grants = (kind: Target['kind'], matches: (name: string) => boolean) => {
    const found = row.may.filter((target) => target.kind === kind && matches(target.name))
    if (found.length === 0) return breach(rule)
    if (found.every((target) => target.typesOnly) && !imported.typesOnly) return breach(`which wants \`import type\``)
    return []
  }

  if (!imported.specifier.startsWith('.')) {
    return grants('package', (name) => inPackage(imported.specifier, name))
  }
  const path = resolve(file, imported.specifier)
  if (row.folder.startsWith('apps/')) {
    return covers(groupOf(file, row), path) ? [] : breach('which leaves the app')
  }
  if (!sources.has(path)) return breach('which is not a source file of this package')
  if (covers(groupOf(file, row), path)) return []
  return grants('path', (name) => covers(name, path))
}

// Type imports vanish at run time, so they pull nothing in.
function indirectBreaches(start: string, row: Row, modules: ReadonlyMap<string, Module>): string[] {
  const forbidden = row.never.filter((target) => target.kind !== 'global')
  const seen = new Set([start])
  const queue = [{ file: start, line: 0, trail: [start] }]
  const found: string[] = []
  for (let at = queue.shift(); at; at = queue.shift()) {
    for (const { specifier, typesOnly, line } of modules.get(at.file)?.imports ?? []) {
      if (typesOnly) continue
      const first = at.line || line
      const path = specifier.startsWith('.') ? resolve(at.file, specifier) : undefined
      const hit = forbidden.find(({ kind, name }) =>
        path ? kind === 'path' && covers(name, path) : kind === 'package' && inPackage(specifier, name),
      )
      const trail = [...at.trail, path ?? specifier]
      if (hit) found.push(`${start}:${first}: \`${row.folder}\` never reaches \`${hit.name}\`: ${trail.join(' -> ')}`)
      if (hit || !path || seen.has(path)) continue
      seen.add(path)
      queue.push({ file: path, line: first, trail })
    }
  }
  return found
}

/** Reads the one table whose head is `folder | may import | never`. `packages` are those that may be named at all. */
export function readRules(page: string, packages: readonly string[]): Rules {
  const lines = page.split('\n').map((line) => line.trim())
  const heads = lines.flatMap((line, index) =>
    /^\| *folder *\| *may import *\| *never *\|$/.test(line) ? [index] : [],
  )
  const head = heads[0]
  if (head === undefined || heads.length > 1) throw new Error(`expected one import table, found ${heads.length}`)
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'))
  const cells = lines.slice(head + 2, end === -1 ? undefined : end).map((line) => {
    const row = line.split('|').map((cell) => cell.trim())
    if (row.length !== 5) throw new Error(`expected three cells in the import table: ${line}`)
    return { folder: readName(row[1]!), may: row[2]!, never: row[3]! }
  })
  const folders = cells.map(({ folder }) => folder)
  const twice = folders.find((folder, index) => folders.indexOf(folder) !== index)
  if (twice) throw new Error(`two rows of the import table are for \`${twice}\``)

  return cells.map(({ folder, may, never }) => {
    const row = { folder, may: readTargets(may, folders, packages), never: readTargets(never, folders, packages) }
    if (row.may.some(({ kind }) => kind === 'global')) throw new Error(`\`${folder}\` imports a global`)
    const both = row.may.find(({ name }) => row.never.some((target) => target.name === name))
    if (both) throw new Error(`\`${folder}\` both may and never may import \`${both.name}\``)
    return row
  })
}

function readTargets(cell: string, folders: readonly string[], packages: readonly string[]): Target[] {
  if (cell === '' || cell === 'itself') return []
  return cell.split(/, */).flatMap((item) => {
    const typesOnly = item.endsWith(' (types only)')
    const name = readName(item.replace(/ \(types only\)$/, ''))
    return kindsOf(name, folders, packages).map((kind) => ({ kind, name, typesOnly }))
  })
}

function readName(text: string): string {
  const name = /^`([^`]+)`$/.exec(text)?.[1]
  if (!name) throw new Error(`expected one name in backticks in the import table: ${text || '(empty)'}`)
  return name
}

// `react` is a folder of ours and a package: a row that names it means both.
function kindsOf(name: string, folders: readonly string[], packages: readonly string[]): Target['kind'][] {
  const top = (path: string) => path.split('/')[0]
  const kinds: Target['kind'][] = []
  if (folders.some((folder) => top(folder) === top(name))) kinds.push('path')
  if (packages.includes(name) || name.endsWith(':*')) kinds.push('package')
  if (kinds.length > 0) return kinds
  const root = name.replace(/^new /, '').split(/[.(]/)[0]!
  if (root in globalThis) return ['global']
  throw new Error(`the import table names \`${name}\`, which is no folder, dependency or global`)
}

function rowOf(file: string, rows: Rules): Row | undefined {
  const weight = ({ folder }: Row) => folder.split('/').reduce((sum, part) => sum + (part === '*' ? 1 : 2), 0)
  return rows.filter(({ folder }) => covers(folder, file)).sort((a, b) => weight(b) - weight(a))[0]
}

function groupOf(path: string, row: Row): string {
  return path.split('/').slice(0, row.folder.split('/').length).join('/')
}

function covers(pattern: string, path: string): boolean {
  const parts = path.split('/')
  return pattern.split('/').every((part, index) => parts[index] === part || (part === '*' && index in parts))
}

function inPackage(specifier: string, name: string): boolean {
  if (name.endsWith(':*')) return specifier.startsWith(name.slice(0, -1))
  return specifier === name || specifier.startsWith(`${name}/`)
}

function resolve(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier)
}

function parseModule(file: string, text: string): Module {
  const { program, errors } = parseSync(file, text)
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`)
  const imports: Import[] = []
  const globals: { name: string; line: number }[] = []
  const add = (node: Node, source: Node, typesOnly: boolean) => {
    const line = lineAt(text, node.start)
    if (source.type !== 'Literal' || typeof source.value !== 'string') {
      // The user's own files: a config, an agent, an engine that is installed.
      if (node.type === 'ImportExpression' && /^(cli|targets|runners\/engines)\//.test(file)) return
      throw new Error(`${file}:${line}: an import must name its module as a plain string`)
    }
    imports.push({ specifier: source.value, typesOnly, line })
  }
  walk(program, (node, parent) => {
    if (node.type === 'ImportDeclaration') add(node, node.source, node.importKind === 'type')
    if (node.type === 'ExportAllDeclaration') add(node, node.source, node.exportKind === 'type')
    if (node.type === 'ExportNamedDeclaration' && node.source) add(node, node.source, node.exportKind === 'type')
    if (node.type === 'ImportExpression') add(node, node.source, false)
    if (node.type === 'TSImportType') add(node, node.source, true)
    for (const name of globalsOf(node, parent)) globals.push({ name, line: lineAt(text, node.start) })
  })
  return { imports, globals }
}

// A name that belongs to something else (`clock.setTimeout`, `{ fetch: … }`) is not the global of that name.
function globalsOf(node: Node, parent: Node | undefined): string[] {
  const called = (callee: Node) => (callee.type === 'Identifier' ? callee.name : undefined)
  if (node.type === 'NewExpression' && node.arguments.length === 0) return [`new ${called(node.callee)}()`]
  // `Date()` without `new` reads the clock too, whatever it is given.
  if (node.type === 'CallExpression' && called(node.callee) === 'Date') return ['new Date()']
  if (node.type === 'MemberExpression' && node.object.type === 'Identifier' && node.property.type === 'Identifier') {
    return node.computed ? [] : [`${node.object.name}.${node.property.name}`]
  }
  if (node.type !== 'Identifier') return []
  if (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) return []
  if (parent && 'key' in parent && parent.key === node && !('computed' in parent && parent.computed)) return []
  return [node.name]
}

function walk(node: Node, visit: (node: Node, parent: Node | undefined) => void, parent?: Node): void {
  visit(node, parent)
  for (const key of visitorKeys[node.type as keyof typeof visitorKeys] ?? []) {
    const child = (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key]
    for (const one of Array.isArray(child) ? child : [child]) if (one) walk(one, visit, node)
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
