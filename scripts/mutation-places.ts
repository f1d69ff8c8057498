// Places in source text where one small change is a plausible bug. Places are named by symbol, so that moving a file keeps them.
import { Prng } from '../simulation/prng.ts'
import { isTest, type Sources } from './source-files.ts'
import { childrenOf, type Node, parse, walk } from './syntax.ts'

export type MutationKind = keyof typeof mutations

/** The n-th node of its kind within a top-level declaration or a class member. */
export interface MutationPlace {
  readonly package: string
  readonly symbol: string
  readonly kind: MutationKind
  readonly ordinal: number
  /** The source at the place, cut. Finds the node again after its ordinal has changed. */
  readonly text: string
}

/** A place in a source file, and the change. */
export interface Mutant extends MutationPlace {
  readonly file: string
  /** False if several files of the package declare the symbol. */
  readonly isUnique: boolean
  readonly line: number
  readonly edit: { readonly start: number; readonly end: number; readonly text: string }
}

/** All mutants of the product code of a package. */
export const mutantsOf = (name: string, sources: Sources): readonly Mutant[] => {
  const filesOf = new Map<string, Set<string>>()
  const mutants: Omit<Mutant, 'isUnique'>[] = []
  for (const [file, text] of sources) {
    if (isTest(file) || file.endsWith('.d.ts')) continue
    const { program, lineAt } = parse(file, text)
    for (const [symbol, declaration] of childrenOf(program).flatMap(declarations)) {
      filesOf.set(symbol, (filesOf.get(symbol) ?? new Set()).add(file))
      mutants.push(...mutantsBelow(declaration, text, { package: name, symbol, file }, lineAt))
    }
  }
  return mutants.map((mutant) => ({ ...mutant, isUnique: filesOf.get(mutant.symbol)?.size === 1 }))
}

export const mutate = (text: string, { edit }: Mutant): string =>
  text.slice(0, edit.start) + edit.text + text.slice(edit.end)

/** At most one place per symbol, from those that both versions of a package have. The same seed draws the same places. */
export const drawPlaces = (
  mutants: readonly Mutant[],
  others: readonly Mutant[],
  count: number,
  seed: number,
): readonly MutationPlace[] => {
  const places = (from: readonly Mutant[]) => from.filter(({ isUnique }) => isUnique).map(placeOf)
  const known = new Set(places(others).map(keyOf))
  // Sorted by symbol, because a moved file must not change the draw.
  const common = places(mutants)
    .filter((place) => known.has(keyOf(place)))
    .sort(byKey)
  const prng = new Prng(seed)
  const drawn = new Map<string, MutationPlace>()
  while (drawn.size < count && common.length > 0) {
    for (const place of common.splice(prng.int(0, common.length - 1), 1))
      if (!drawn.has(place.symbol)) drawn.set(place.symbol, place)
  }
  return [...drawn.values()].sort(byKey)
}

/** The mutant at a place: the node with the same text, or else the node with the same ordinal. Its symbol may have moved to another package. */
export const findMutant = (place: MutationPlace, mutants: readonly Mutant[]): Mutant | undefined => {
  const near = mutants.filter(({ symbol, kind }) => symbol === place.symbol && kind === place.kind)
  const inPackage = near.filter((mutant) => mutant.package === place.package)
  const candidates = inPackage.length > 0 ? inPackage : near
  const equal = candidates.filter(({ text }) => text === place.text)
  const atOrdinal = (found: readonly Mutant[]) => found.find(({ ordinal }) => ordinal === place.ordinal)
  return atOrdinal(equal) ?? equal[0] ?? atOrdinal(candidates)
}

const placeOf = ({ package: name, symbol, kind, ordinal, text }: Mutant): MutationPlace => ({
  package: name,
  symbol,
  kind,
  ordinal,
  text,
})

const byKey = (a: MutationPlace, b: MutationPlace): number => (keyOf(a) < keyOf(b) ? -1 : 1)

const keyOf = ({ package: name, symbol, kind, ordinal, text }: MutationPlace): string =>
  [name, symbol, kind, ordinal, text].join('\0')

/** Variables, functions and class members that a statement declares. */
const declarations = (statement: Node): [symbol: string, declaration: Node][] => {
  if (statement.type === 'ExportNamedDeclaration')
    return statement.declaration ? declarations(statement.declaration) : []
  if (statement.type === 'VariableDeclaration')
    return statement.declarations.flatMap((one): [string, Node][] =>
      one.id.type === 'Identifier' ? [[one.id.name, one]] : [],
    )
  if (statement.type === 'FunctionDeclaration' && statement.id) return [[statement.id.name, statement]]
  if (statement.type === 'ClassDeclaration') {
    const name = statement.id?.name
    return statement.body.body.flatMap((member): [string, Node][] =>
      'key' in member && (member.key.type === 'Identifier' || member.key.type === 'PrivateIdentifier')
        ? [[`${name}.${member.key.name}`, member]]
        : [],
    )
  }
  return []
}

type Edit = Mutant['edit']
/** The change of a node of this kind; undefined for every other node. */
type Mutation = (node: Node, ancestors: readonly Node[], text: string) => Edit | undefined

const mutantsBelow = (
  declaration: Node,
  text: string,
  known: Pick<Mutant, 'package' | 'symbol' | 'file'>,
  lineAt: (offset: number) => number,
): Omit<Mutant, 'isUnique'>[] => {
  const mutants: Omit<Mutant, 'isUnique'>[] = []
  const counts = new Map<string, number>()
  walk(declaration, (node, ancestors) => {
    for (const [name, mutation] of Object.entries(mutations)) {
      const edit = mutation(node, ancestors, text)
      if (!edit) continue
      const ordinal = (counts.get(name) ?? 0) + 1
      counts.set(name, ordinal)
      // A literal alone does not identify its place.
      const shown = node.type === 'Literal' ? (ancestors.at(-1) ?? node) : node
      const line = lineAt(edit.start)
      mutants.push({ ...known, kind: name as MutationKind, ordinal, text: excerpt(text, shown), line, edit })
    }
  })
  return mutants
}

/** Longer expressions than this are cut in the list. */
const EXCERPT_CHARACTERS = 100

const excerpt = (text: string, { start, end }: Node): string =>
  text.slice(start, end).replace(/\s+/g, ' ').slice(0, EXCERPT_CHARACTERS)

const replaceOperator = (text: string, left: Node, right: Node, operator: string, other: string): Edit => {
  const start = text.indexOf(operator, left.end)
  if (start < 0 || start >= right.start) throw new Error(`There is no ${operator} before offset ${right.start}.`)
  return { start, end: start + operator.length, text: other }
}

const swap =
  (type: 'BinaryExpression' | 'LogicalExpression', others: Readonly<Record<string, string>>): Mutation =>
  (node, _ancestors, text) => {
    if (node.type !== type) return
    const other = others[node.operator]
    return other === undefined ? undefined : replaceOperator(text, node.left, node.right, node.operator, other)
  }

const negate: Mutation = (node, _ancestors, text) => {
  if (node.type !== 'IfStatement' && node.type !== 'ConditionalExpression') return
  const { start, end, type } = node.test
  // Other kinds of mutations change these.
  if (type === 'BinaryExpression' || type === 'LogicalExpression') return
  return { start, end, text: `!(${text.slice(start, end)})` }
}

const dropGuard: Mutation = (node, ancestors) => {
  if (node.type !== 'IfStatement' || node.alternate) return
  const { consequent } = node
  const [first] = consequent.type === 'BlockStatement' ? consequent.body : [consequent]
  const block = ancestors.at(-1)
  if (first?.type !== 'ReturnStatement' || block?.type !== 'BlockStatement' || block.body.at(-1) === node) return
  return { start: node.start, end: node.end, text: '' }
}

const flipBoolean: Mutation = (node, ancestors) => {
  if (node.type !== 'Literal' || typeof node.value !== 'boolean' || ancestors.at(-1)?.type === 'TSLiteralType') return
  return { start: node.start, end: node.end, text: String(!node.value) }
}

const OFFSET_CALLS = new Set(['at', 'slice', 'subarray', 'substring'])

const addOne: Mutation = (node, ancestors) => {
  if (node.type !== 'Literal' || typeof node.value !== 'number') return
  const parent = ancestors.at(-1)
  if (parent === undefined || !isOffset(parent, node)) return
  return { start: node.start, end: node.end, text: String(node.value + 1) }
}

const isOffset = (parent: Node, node: Node): boolean => {
  if (parent.type === 'BinaryExpression') return parent.operator === '+' || parent.operator === '-'
  if (parent.type === 'MemberExpression') return parent.property === node
  if (parent.type !== 'CallExpression' || parent.callee.type !== 'MemberExpression') return false
  return parent.callee.property.type === 'Identifier' && OFFSET_CALLS.has(parent.callee.property.name)
}

const mutations = {
  equality: swap('BinaryExpression', { '===': '!==', '!==': '===' }),
  order: swap('BinaryExpression', { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }),
  logic: swap('LogicalExpression', { '&&': '||', '||': '&&' }),
  condition: negate,
  guard: dropGuard,
  boolean: flipBoolean,
  offset: addOne,
} satisfies Record<string, Mutation>
