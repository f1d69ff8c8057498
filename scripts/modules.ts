// A module as the import checks see it: the modules it imports and the globals it uses.
import { posix } from 'node:path'
import { isTest, type Sources } from './source-files.ts'
import { type Node, parse, walk } from './syntax.ts'

export type Modules = ReadonlyMap<string, Module>
export type Module = { imports: readonly Import[]; globals: readonly Global[] }
/** `path` is the file that a relative import, or one of a package of ours, names. A type import vanishes at run time, so it pulls nothing in. */
export type Import = { specifier: string; path: string | undefined; typesOnly: boolean; line: number }
type Global = { name: string; line: number }

export const parseModules = (sources: Sources): Modules =>
  new Map([...sources].map(([file, text]) => [file, parseModule(file, text)]))

/** The file that an import names, as `packageSources` has it; undefined for what comes from elsewhere. */
const importedFile = (specifier: string, file: string): string | undefined => {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  return specifier.startsWith('@bridle/') ? `${specifier.slice('@bridle/'.length)}.ts` : undefined
}

const parseModule = (file: string, text: string): Module => {
  const { program, lineAt } = parse(file, text)
  const imports: Import[] = []
  const globals: Global[] = []
  const add = (node: Node, source: Node, typesOnly: boolean) => {
    const line = lineAt(node.start)
    if (source.type !== 'Literal' || typeof source.value !== 'string') {
      // The user's own files: a config, an agent, an engine that is installed.
      if (node.type === 'ImportExpression' && (isTest(file) || /^(cli|server|runners\/engines)\//.test(file))) return
      throw new Error(`${file}:${line}: an import must name its module as a plain string`)
    }
    const specifier = source.value
    const path = importedFile(specifier, file)
    imports.push({ specifier, path, typesOnly, line })
  }
  walk(program, (node, ancestors) => {
    if (node.type === 'ImportDeclaration') add(node, node.source, node.importKind === 'type')
    if (node.type === 'ExportAllDeclaration') add(node, node.source, node.exportKind === 'type')
    if (node.type === 'ExportNamedDeclaration' && node.source) add(node, node.source, node.exportKind === 'type')
    if (node.type === 'ImportExpression') add(node, node.source, false)
    if (node.type === 'TSImportType') add(node, node.source, true)
    for (const name of globalsOf(node, ancestors.at(-1))) globals.push({ name, line: lineAt(node.start) })
  })
  return { imports, globals }
}

// A name that belongs to something else (`clock.setTimeout`, `{ fetch: … }`) is not the global of that name.
const globalsOf = (node: Node, parent: Node | undefined): string[] => {
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
