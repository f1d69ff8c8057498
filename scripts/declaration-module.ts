// An emitted declaration file: its imports, its exports and its statements by name.
import { posix } from 'node:path'
import { childrenOf, type DeclarationFile, type Node } from './declaration-syntax.ts'

/** A name of another file, or of a package. */
export interface Source {
  readonly from: string
  /** `*` = the whole module under one name. */
  readonly name: string
  readonly isType: boolean
}

export interface Export {
  /** The name inside this file, where the export passes nothing on. */
  readonly local: string
  readonly source: Source | null
  readonly isType: boolean
}

export interface DeclarationModule {
  readonly file: DeclarationFile
  readonly imports: ReadonlyMap<string, Source>
  readonly exports: ReadonlyMap<string, Export>
  /** Files of which everything is passed on. */
  readonly stars: readonly string[]
  /** An interface and a constant may share a name. */
  readonly statements: ReadonlyMap<string, readonly Node[]>
}

export const moduleOf = (file: DeclarationFile): DeclarationModule => {
  const imports = new Map<string, Source>()
  const exports = new Map<string, Export>()
  const stars: string[] = []
  const statements = new Map<string, Node[]>()
  for (const statement of file.program.body) {
    const from = statement.source ? fileOf(file.path, statement.source as Node) : null
    const isType = statement.importKind === 'type' || statement.exportKind === 'type'
    if (statement.type === 'ImportDeclaration') {
      for (const each of statement.specifiers as Node[])
        imports.set(nameOf(each.local), {
          from: from ?? '',
          name: importedName(each),
          isType: isType || each.importKind === 'type',
        })
    } else if (statement.type === 'ExportAllDeclaration') stars.push(from ?? '')
    else if (statement.type === 'ExportNamedDeclaration' && !statement.declaration) {
      for (const each of statement.specifiers as Node[]) {
        const isTypeOnly = isType || each.exportKind === 'type'
        const local = nameOf(each.local)
        const source = from === null ? null : { from, name: local, isType: isTypeOnly }
        exports.set(nameOf(each.exported), { local, source, isType: isTypeOnly })
      }
    } else {
      const declaration = (statement.declaration as Node | undefined) ?? statement
      for (const name of declaredNames(declaration)) {
        statements.set(name, [...(statements.get(name) ?? []), statement])
        if (statement.type === 'ExportDefaultDeclaration')
          exports.set('default', { local: name, source: null, isType: false })
        if (statement.type === 'ExportNamedDeclaration') exports.set(name, { local: name, source: null, isType: false })
      }
    }
  }
  return { file, imports, exports, stars, statements }
}

const declaredNames = (declaration: Node): string[] =>
  declaration.type === 'VariableDeclaration'
    ? (declaration.declarations as Node[]).map(({ id }) => nameOf(id))
    : declaration.id
      ? [nameOf(declaration.id)]
      : []

interface InlineImport {
  readonly start: number
  readonly end: number
  readonly source: Source
}

/** `import('./x.ts').Name` inside a type, as tsc writes it for a type that the file does not import. */
export const inlineImports = (file: DeclarationFile, root: Node): InlineImport[] => {
  const found: InlineImport[] = []
  const visit = (node: Node): void => {
    const from = node.type === 'TSImportType' ? fileOf(file.path, node.source as Node) : null
    if (from?.endsWith('.d.ts')) {
      const { start } = node
      const { end } = node.qualifier as Node
      found.push({ start, end, source: { from, name: nameOf(node.qualifier), isType: true } })
    }
    childrenOf(node).forEach(visit)
  }
  visit(root)
  return found
}

/** The names of the file that a statement uses. Keys, parameters and labels are not names of the file. */
export const namesIn = (root: Node): Set<string> => {
  const names = new Set<string>()
  const visit = (node: Node): void => {
    if (node.type === 'TSImportType') return node.typeArguments ? visit(node.typeArguments as Node) : undefined
    if (node.type === 'Identifier') names.add(nameOf(node))
    for (const child of childrenOf(node)) if (!isLabel(node, child)) visit(child)
    for (const parameter of parametersOf(node)) {
      const { typeAnnotation } = parameter as { typeAnnotation?: Node | null }
      if (typeAnnotation) visit(typeAnnotation)
    }
  }
  visit(root)
  return names
}

const parametersOf = (node: Node): Node[] => {
  const params = node.params ?? node.parameters
  if (!Array.isArray(params) || node.type.startsWith('TSTypeParameter')) return []
  return (params as Node[]).map((each) => (each.type === 'TSParameterProperty' ? (each.parameter as Node) : each))
}

const isLabel = (node: Node, child: Node): boolean => {
  if (node.type === 'TSQualifiedName') return child === node.right
  if (child === node.key) return node.computed !== true && node.type !== 'TSMappedType'
  if (child === node.label || child === node.parameterName) return true
  if (child === node.id && !node.type.includes('Heritage')) return node.type !== 'VariableDeclarator'
  return parametersOf(node).includes(child) || (node.type === 'TSTypeParameter' && child === node.name)
}

const nameOf = (node: unknown): string => {
  const { name, value } = node as { name?: string; value?: string }
  return name ?? value ?? ''
}

const importedName = (node: Node): string =>
  node.type === 'ImportNamespaceSpecifier'
    ? '*'
    : node.type === 'ImportDefaultSpecifier'
      ? 'default'
      : nameOf(node.imported)

/** The declaration file that an import names; a package by its own name. */
const fileOf = (path: string, source: Node): string => {
  const specifier = String(source.value)
  if (!specifier.startsWith('.')) return specifier
  return posix.join(posix.dirname(path), specifier.replace(/\.(ts|tsx|js)$/, '.d.ts'))
}
