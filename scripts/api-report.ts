// A page for each entry of the package: every export with its signature and its comment, from the declarations that are
// published. A change of what users can call shows in these pages.
import { DeclarationGraph, type Declared } from './declaration-graph.ts'
import { type DeclarationFile, docBefore, type Node, parseDeclarations } from './declaration-syntax.ts'

interface PackageManifest {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly types: string; readonly node?: { readonly types: string } }>>
}

/** File names below docs/api, and their text. `published` has declarations by their path below dist. */
export const apiPages = (published: ReadonlyMap<string, string>, manifest: PackageManifest): Map<string, string> => {
  const graph = new DeclarationGraph([...published].map(([path, text]) => parseDeclarations(path, text)))
  return new Map(
    Object.entries(manifest.exports).map(([entry, { types, node }]) => {
      const name = entry.replace('.', manifest.name)
      // The Node condition of an entry exports everything.
      const path = (node?.types ?? types).replace('./dist/', '')
      const elsewhere = node ? new Set(graph.exportsOf(types.replace('./dist/', '')).keys()) : null
      return [`${name.replaceAll('/', '-')}.md`, page(name, graph, path, elsewhere)]
    }),
  )
}

/** Exports, and members of exported classes and interfaces, that have no doc comment. */
export const undocumented = (published: ReadonlyMap<string, string>, entries: readonly string[]): string[] => {
  const graph = new DeclarationGraph([...published].map(([path, text]) => parseDeclarations(path, text)))
  const found = entries.flatMap((entry) =>
    [...graph.exportsOf(entry)].flatMap(([name, at]) => {
      const { file, statements } = graph.statementsOf(at)
      const hasDoc = (node: Node): boolean => docBefore(file, node) !== null
      const members = statements.flatMap(membersOf).filter(({ node }) => !hasDoc(node))
      return [...(statements.some(hasDoc) ? [] : [name]), ...members.map((member) => `${name}.${member.name}`)]
    }),
  )
  return [...new Set(found)].sort()
}

/** The named members of a class, an interface or an object type. The comment of the first overload counts for all of them. */
const membersOf = (statement: Node): { name: string; node: Node }[] => {
  const declaration = (statement.declaration as Node | undefined) ?? statement
  const body = (declaration.body as { body?: readonly Node[] } | undefined)?.body ?? literalOf(declaration)
  const named = body.flatMap((node) => {
    const { type, name, value } = (node.key ?? {}) as { type?: string; name?: string; value?: string }
    const text = name ?? value
    return text === undefined || type === 'PrivateIdentifier' || node.computed === true ? [] : [{ name: text, node }]
  })
  return named.filter(
    ({ name }, index) => name !== 'constructor' && named.findIndex((each) => each.name === name) === index,
  )
}

/** The members of a type alias, or of the object that a function returns. */
const literalOf = (declaration: Node): readonly Node[] => {
  const [{ id } = { id: null }] = (declaration.declarations as { id: Node }[] | undefined) ?? []
  let type = inner(id ?? declaration)
  if (type?.type === 'TSFunctionType') type = inner(type.returnType as Node)
  return type?.type === 'TSTypeLiteral' ? (type.members as Node[]) : []
}

/** An annotation holds its type under the same name: `: T` is a node around `T`. */
const inner = (node: Node): Node | null => {
  const type = node.typeAnnotation as Node | null | undefined
  return type?.type === 'TSTypeAnnotation' ? (type.typeAnnotation as Node) : (type ?? null)
}

const page = (name: string, graph: DeclarationGraph, path: string, elsewhere: ReadonlySet<string> | null): string => {
  const exported = [...graph.exportsOf(path)].map(([each, at]) => ({ name: each, ...described(graph, at) }))
  const section = (title: string, isValue: boolean): string[] => {
    const found = exported.filter((each) => each.isValue === isValue)
    if (found.length === 0) return []
    return [
      `## ${title}`,
      ...found.flatMap(({ name: each, doc, signature }) => [
        `### \`${each}\``,
        ...(elsewhere && !elsewhere.has(each) ? ['On Node only.'] : []),
        ...(doc === '' ? [] : [doc]),
        `\`\`\`ts\n${signature}\n\`\`\``,
      ]),
    ]
  }
  const intro = `Every export of \`${name}\`, written by \`npm run docs\` from the published types.`
  return `${[`# \`${name}\``, intro, ...section('Values', true), ...section('Types', false)].join('\n\n')}\n`
}

const described = (graph: DeclarationGraph, at: Declared): { doc: string; signature: string; isValue: boolean } => {
  const { file, statements } = graph.statementsOf(at)
  const docs = statements.map((statement) => docText(docBefore(file, statement)?.text ?? ''))
  return {
    doc: docs.filter((text) => text !== '').join('\n\n'),
    signature: statements.map((statement) => signatureOf(file, statement)).join('\n'),
    isValue: !at.isType && statements.some((statement) => !isType(statement)),
  }
}

const isType = (statement: Node): boolean =>
  /^TS(Interface|TypeAlias)Declaration$/.test(((statement.declaration as Node | undefined) ?? statement).type)

/** As it is declared; what a class keeps to itself is left out. */
const signatureOf = (file: DeclarationFile, { start, end }: Node): string =>
  file.text
    .slice(start, end)
    .replace(/^(export )?(declare )?/, '')
    // A reader imports types from entries, never from the file that declares them.
    .replaceAll(/import\('[^']+'\)\./g, '')
    .split('\n')
    .filter((line) => !/^\s*(#private|private .*);$/.test(line))
    .map((line) => line.replace(/^( {4})+/, (indent) => ' '.repeat(indent.length / 2)))
    .join('\n')

/** The words of a doc comment. */
export const docText = (comment: string): string =>
  comment
    .replace(/^\/\*\*\s*/, '')
    .replace(/\s*\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim()
